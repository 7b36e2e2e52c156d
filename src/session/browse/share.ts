/**
 * A conversation to give away: as JSON, or as Markdown that reads well and in which nothing that was said can pass for
 * something that somebody else said. The description of the surroundings stays here.
 */

import { extname, resolve } from "node:path"
import { Clock, Effect, Schema } from "effect"
import { jsonText } from "../../kernel/readable-text.ts"
import { redactionOf, type Secret } from "../../kernel/redact-secrets.ts"
import type { Content, Part } from "../../protocol/content.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { containedMarkdown, fencedCode } from "./contained-markdown.ts"

/** A bare array of contents; `--session-file` reads it. */
export const shareJson = (contents: ReadonlyArray<Content>): string =>
  `${JSON.stringify(withoutContext(contents), null, 2)}\n`

export const shareMarkdown = (contents: ReadonlyArray<Content>): string =>
  `${withoutContext(contents)
    .map(({ parts, role }) => `## ${role.toUpperCase()}\n\n${parts.flatMap(partText).join("\n\n")}`.trimEnd())
    .join("\n\n---\n\n")}\n`

export const withoutContext = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> =>
  contents.flatMap((content) => {
    const parts = content.parts.filter(({ text }) => text?.startsWith("<session_context>") !== true)
    return parts.length === 0 ? [] : [parts.length === content.parts.length ? content : { ...content, parts }]
  })

const partText = (part: Part): ReadonlyArray<string> => {
  if (part.thought === true) return []
  if (part.functionCall !== undefined) return [`### Tool call\n\n${fencedJson(part.functionCall)}`]
  if (part.functionResponse !== undefined) return [`### Tool response\n\n${fencedJson(part.functionResponse)}`]
  if (part.inlineData !== undefined) return [attached(part.inlineData.mimeType ?? "binary data")]
  if (part.fileData !== undefined) return [attached(part.fileData.fileUri ?? "file")]
  return part.text === undefined || part.text === "" ? [] : [containedMarkdown(part.text)]
}

const fencedJson = (value: unknown): string => fencedCode("json", jsonText(value, 2))

const attached = (what: string): string => `### Attached\n\n${fencedCode("", what)}`

/** `/chat share [file]`: the conversation in a file to give away. */
class ChatNotShared extends Schema.TaggedError<ChatNotShared>()("ChatNotShared", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

interface ShareOptions {
  readonly cwd: string
  /** Ends in `.json` or `.md`; a name is made up where it is absent. */
  readonly file?: string | undefined
  readonly history: ReadonlyArray<Content>
  readonly secrets: ReadonlyArray<Secret>
}

/** The file that was written. */
export const shareChat = Effect.fn("SavedChats.share")(function* ({ cwd, file, history, secrets }: ShareOptions) {
  const name = file ?? `gemini-conversation-${yield* Clock.currentTimeMillis}.json`
  const ending = extname(name).toLowerCase()
  if (ending !== ".json" && ending !== ".md") {
    return yield* new ChatNotShared({ detail: `${name} must end in .json or .md` })
  }
  const target = resolve(cwd, name)
  const text = ending === ".md" ? shareMarkdown(history) : shareJson(history)
  yield* writeFileAtomic({ file: target, content: redactionOf(secrets)(text) }).pipe(
    Effect.mapError(({ message }) => new ChatNotShared({ detail: message }))
  )
  return target
})
