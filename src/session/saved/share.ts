/** A conversation to give away: as JSON, or as Markdown that reads well. The description of the surroundings stays here. */
import type { Content, Part } from "../../protocol/content.ts"

/** A bare array of contents; `--session-file` reads it. */
export const shareJson = (contents: ReadonlyArray<Content>): string =>
  `${JSON.stringify(withoutContext(contents), null, 2)}\n`

export const shareMarkdown = (contents: ReadonlyArray<Content>): string =>
  `${withoutContext(contents)
    .map(({ parts, role }) => `## ${role.toUpperCase()}\n\n${parts.flatMap(partText).join("\n\n")}`)
    .join("\n\n---\n\n")}\n`

export const withoutContext = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> =>
  contents.flatMap((content) => {
    const parts = content.parts.filter(({ text }) => text?.startsWith("<session_context>") !== true)
    return parts.length === 0 ? [] : [parts.length === content.parts.length ? content : { ...content, parts }]
  })

const partText = (part: Part): ReadonlyArray<string> => {
  if (part.thought === true) return []
  if (part.functionCall !== undefined) return [`**Tool call**\n\n${fenced(part.functionCall)}`]
  if (part.functionResponse !== undefined) return [`**Tool response**\n\n${fenced(part.functionResponse)}`]
  if (part.inlineData !== undefined) return [`*(${part.inlineData.mimeType ?? "binary data"})*`]
  if (part.fileData !== undefined) return [`*(${part.fileData.fileUri ?? "file"})*`]
  return part.text === undefined || part.text === "" ? [] : [part.text]
}

/** The fence is longer than any that stands in the text. */
const fenced = (value: unknown): string => {
  const json = JSON.stringify(value, null, 2)
  const longest = Math.max(2, ...[...json.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}json\n${json}\n${fence}`
}
