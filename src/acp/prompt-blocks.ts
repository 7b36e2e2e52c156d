/**
 * The blocks of an editor's prompt as parts for the model. Files that it links to are read by the same service that
 * reads `@` references; typed text stays as it is, whatever it looks like.
 */
import { relative } from "node:path"
import { Effect, Either, Schema } from "effect"
import type { Part } from "../protocol/content.ts"
import { escapedPath } from "../slash/at/references.ts"
import type { ExpansionNote, PromptExpansion } from "../slash/prompt-expansion.ts"

const Media = { data: Schema.String, mimeType: Schema.String }

export const PromptBlock = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("image", "audio"), ...Media }),
  Schema.Struct({ type: Schema.Literal("resource_link"), uri: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("resource"),
    resource: Schema.Struct({
      uri: Schema.String,
      mimeType: Schema.optional(Schema.NullOr(Schema.String)),
      text: Schema.optional(Schema.String),
      blob: Schema.optional(Schema.String)
    })
  })
)
export type PromptBlock = typeof PromptBlock.Type

export interface ReadBlocks {
  /** As the person sees it. */
  readonly text: string
  readonly parts: ReadonlyArray<Part>
  readonly notes: ReadonlyArray<ExpansionNote>
  /** Folders that a link stood for, as patterns. */
  readonly folders: ReadonlyArray<string>
}

interface BlockOptions {
  readonly cwd: string
  readonly expansion: PromptExpansion["Type"]
  /** Asks whether a file outside of the workspace may be read. */
  readonly mayRead: (path: string) => Effect.Effect<boolean>
}

export const readBlocks = Effect.fn("Acp.readBlocks")(function* (
  blocks: ReadonlyArray<PromptBlock>,
  { cwd, expansion, mayRead }: BlockOptions
) {
  const shown: Array<Part> = []
  const files: Array<Part> = []
  const contexts: Array<Part> = []
  const notes: Array<ExpansionNote> = []
  const folders: Array<string> = []
  let text = ""
  const say = (words: string) => {
    text += words
    const last = shown.at(-1)
    if (last?.text === undefined) shown.push({ text: words })
    else shown[shown.length - 1] = { text: last.text + words }
  }
  for (const block of blocks) {
    if (block.type === "text") say(block.text)
    if (block.type === "image" || block.type === "audio") {
      shown.push({ inlineData: { data: block.data, mimeType: block.mimeType } })
    }
    if (block.type === "resource") {
      say(`@${block.resource.uri}`)
      contexts.push(...contextParts(block.resource))
    }
    if (block.type !== "resource_link") continue
    const path = pathOf(block.uri)
    if (path === undefined) {
      say(`@${block.uri}`)
      continue
    }
    const read = yield* readLink(path, { cwd, expansion, mayRead })
    say(read.shown)
    files.push(...read.parts)
    notes.push(...read.notes)
    if (read.shown.endsWith("/**")) folders.push(read.shown.slice(1))
  }
  const parts: ReadonlyArray<Part> = [
    ...shown,
    ...framed("Content from referenced files", files),
    ...framed("Content from referenced context", contexts)
  ]
  return { text, parts, notes, folders } satisfies ReadBlocks as ReadBlocks
})

const pathOf = (uri: string): string | undefined =>
  uri.startsWith("file:")
    ? Either.getOrUndefined(Either.try(() => Bun.fileURLToPath(uri.replace(/[#?].*$/, ""))))
    : undefined

/** The service puts what it read between two lines of its own; links share one such pair. */
const readLink = Effect.fnUntraced(function* (path: string, { cwd, expansion, mayRead }: BlockOptions) {
  const name = relative(cwd, path)
  const reference = name === "" ? "." : name.startsWith("..") ? path : name
  let isRefused = false
  const expanded = yield* expansion
    .expand(`@${escapedPath(reference)}`, {
      mayRead: (outside) => Effect.tap(mayRead(outside), (may) => Effect.sync(() => (isRefused ||= !may)))
    })
    .pipe(Effect.orElseSucceed(() => undefined))
  const [first, ...rest] = expanded?.parts ?? []
  const parts = rest.filter(({ text }) => text === undefined || !/^\n--- (?:Content|End) (?:from|of) /.test(text))
  return {
    shown: first?.text?.replaceAll("\\", "") ?? `@${reference}`,
    parts: isRefused ? [{ text: `\n[@${reference} was not read: the user refused]` }] : parts,
    notes: (expanded?.notes ?? []).filter(({ severity }) => severity === "warning")
  }
})

const contextParts = (resource: Extract<PromptBlock, { type: "resource" }>["resource"]): ReadonlyArray<Part> => [
  { text: `\nContent from @${resource.uri}:\n` },
  resource.blob === undefined
    ? { text: resource.text ?? "" }
    : { inlineData: { data: resource.blob, mimeType: resource.mimeType ?? "application/octet-stream" } }
]

const framed = (title: string, parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.length === 0 ? [] : [{ text: `\n--- ${title} ---` }, ...parts, { text: "\n--- End of content ---" }]
