/** Where a call of `web_fetch` leads, and which hosts the person named. Loaded at the first such call. */
import { findUrls, rawUrl, sitesIn, sitesNamedIn } from "../system/http/web-url.ts"
import type { WebReach } from "./decision.ts"
import { hostPattern } from "./host-rules.ts"

/** `heard`: what the person typed in this session. */
export const webReach = (args: Readonly<Record<string, unknown>>, heard: ReadonlyArray<string>): WebReach => {
  const urls = [args.prompt, args.url].flatMap((text) => (typeof text === "string" ? findUrls(text).urls : []))
  return {
    sites: sitesIn(urls),
    // A file on GitHub is fetched from the host that has it.
    reached: sitesIn([...urls, ...urls.map(rawUrl)]),
    named: new Set(heard.flatMap((text) => [...sitesNamedIn(text)])),
    isAt: (site, written) => {
      const pattern = hostPattern(written)
      if (pattern === undefined) return undefined
      return pattern.startsWith("*.") ? site.endsWith(pattern.slice(1)) : site === pattern
    }
  }
}
