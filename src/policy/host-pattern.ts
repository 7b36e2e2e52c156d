/** A host as a rule writes it: `example.com`, `*.example.com`, or a whole address, of which the host counts. */
import { hostOf, siteOf } from "../system/http/web-url.ts"

/** In the spelling that hosts of calls have; `undefined`: it is no host. */
export const hostPattern = (written: string): string | undefined => {
  const [, wildcard = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(written.trim()) ?? []
  const isAddress = rest.includes(":") && !rest.includes("/") && !rest.startsWith("[") && /^[0-9a-f:.]+$/i.test(rest)
  const url = URL.parse(/^https?:\/\//i.test(rest) ? rest : `http://${isAddress ? `[${rest}]` : rest}`)
  if (url === null || url.username !== "" || rest === "" || /[*\s]/.test(rest)) return undefined
  const host = hostOf(url)
  return host === "" ? undefined : wildcard === "" ? siteOf(host) : `*.${host}`
}
