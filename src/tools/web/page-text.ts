/** The text of a fetched page: HTML without its markup, everything else as it is. */

import { Effect } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import type { WebPage } from "./web-client.ts"

/** With `links`, addresses of links stand behind their texts. */
export const pageText = (page: WebPage, options: { readonly links: boolean }): Effect.Effect<string> =>
  Effect.gen(function* () {
    const text = decode(page)
    if (page.contentType !== "" && !/^(text\/html|application\/xhtml\+xml)$/.test(page.contentType)) return text
    const { htmlText } = yield* lazy(() => import("./html-text.live.ts"))
    return htmlText(text, options.links ? page.url : undefined)
  })

/** In the encoding that the server names, where it is known. */
const decode = ({ body, headers }: WebPage): string => {
  const label = /charset="?([\w.:-]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8"
  try {
    // The label is the server's; one that is not known throws, which is what the other branch is for.
    return new TextDecoder(label as Bun.Encoding).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}
