/**
 * The part of a conversation that a classifier is shown: few entries, as plain text, each bounded. Calls and results
 * become a word each, so that what is sent is valid wherever the window begins.
 */
import type { Content, Part } from "../../protocol/content.ts"

const MAX_CHARS = 4_000

/** The last four entries that are not only tool traffic, among the last twenty; then the request. */
export const wordsAround = (history: ReadonlyArray<Content>, request: ReadonlyArray<Part>): ReadonlyArray<Content> =>
  asMessages([
    ...history
      .slice(-20)
      .filter((entry) => !isToolEntry(entry))
      .slice(-4),
    { role: "user", parts: request }
  ])

/** The last eight entries, from the first that is not only tool traffic on; then the request. */
export const stepsAround = (history: ReadonlyArray<Content>, request: ReadonlyArray<Part>): ReadonlyArray<Content> => {
  const last = history.slice(-8)
  const start = last.findIndex((entry) => !isToolEntry(entry))
  return asMessages([...(start === -1 ? [] : last.slice(start)), { role: "user", parts: request }])
}

const isToolEntry = ({ parts }: Content): boolean =>
  parts.length > 0 && parts.every((part) => part.functionCall !== undefined || part.functionResponse !== undefined)

/** Roles alternate and the first is the user's, as the API wants it. */
const asMessages = (entries: ReadonlyArray<Content>): ReadonlyArray<Content> => {
  const messages: Array<{ role: Content["role"]; text: string }> = []
  for (const { parts, role } of entries) {
    const text = cut(parts.map(wordOf).join(""))
    const last = messages.at(-1)
    if (text === "" || (last === undefined && role === "model")) continue
    if (last?.role === role) last.text += `\n${text}`
    else messages.push({ role, text })
  }
  return messages.map(({ role, text }) => ({ role, parts: [{ text }] }))
}

const wordOf = (part: Part): string => {
  if (part.thought === true) return ""
  if (part.functionCall !== undefined) return `[calls ${part.functionCall.name ?? "a tool"}]`
  if (part.functionResponse !== undefined) return `[result of ${part.functionResponse.name ?? "a tool"}]`
  if (part.inlineData !== undefined || part.fileData !== undefined) return "[attached file]"
  return part.text ?? ""
}

/** The beginning says what is wanted, the end often how. */
const cut = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS / 2)}\n[...]\n${text.slice(-MAX_CHARS / 2)}`
