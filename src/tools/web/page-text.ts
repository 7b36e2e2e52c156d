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

/**
 * One budget of characters for several texts. Short ones get all they need, and what they leave goes to the long ones in
 * equal parts.
 */

/** How much of each text is kept, in the order given. The sum never exceeds the budget. */
export const shareOut = (lengths: ReadonlyArray<number>, budget: number): ReadonlyArray<number> => {
  const shares = lengths.map(() => 0)
  const shortestFirst = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0))
  let left = budget
  shortestFirst.forEach((index, position) => {
    const fair = Math.floor(left / (shortestFirst.length - position))
    const share = Math.min(lengths[index] ?? 0, fair)
    shares[index] = share
    left -= share
  })
  return shares
}

/** The beginning of a text, with a note when it is not all of it. The note is not counted. */
export const cutText = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? "") ? limit - 1 : limit
  return `${text.slice(0, end)}\n... [cut: ${(text.length - end).toLocaleString("en-US")} more characters]`
}

/** Text as content or attribute value of XML-like prompts. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

export const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
