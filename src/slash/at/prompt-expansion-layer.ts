/** References resolved against the workspace of the session, with the services that its tools use. */
import { Effect, Layer } from "effect"
import { Agents } from "../../agents/agents.ts"
import { Settings } from "../../config/settings.ts"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import type { Part } from "../../protocol/content.ts"
import { formatBytes } from "../../shell/output-capture.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { makePathCompletion } from "../completion/path-completion.ts"
import { type ExpandedPrompt, type ExpansionNote, PromptExpansion } from "../prompt-expansion.ts"
import { type Attachments, attachmentParts, readContents } from "./attach-files.ts"
import { escapedPath, type PromptPiece, referenceAt, splitReferences } from "./references.ts"
import { type ReferenceOptions, type ResolvedReference, resolveReferences } from "./resolve-reference.ts"
import { type ResourceReader, readResources, resourceReader, resourcesLike } from "./resources.ts"

/** Puts what a prompt refers to behind it. The text keeps its references, so that the model knows what belongs where. */
export const expandPrompt = Effect.fn("expandPrompt")(function* (
  prompt: string,
  { agents = [], before = "", readResource, ...options }: ExpandOptions
) {
  const pieces = splitReferences(prompt)
  const referred = new Set(pieces.flatMap((piece) => (piece._tag === "Reference" ? [piece.written] : [])))
  // An agent comes before a file of the same name.
  const chosen = agents.filter((name) => referred.has(name))
  const written = new Set([...referred].filter((text) => !chosen.includes(text)))
  const resources = yield* readResources(written, readResource)
  const paths = new Set([...written].filter((text) => !resources.known.has(text)))
  const resolved = paths.size === 0 ? new Map<string, ResolvedReference>() : yield* resolveReferences(paths, options)
  const attachments = yield* readContents([...resolved.values()].map(({ resolution }) => resolution))
  const typed = withPiped(before, pieces.map(typedText).join(""))
  const all: Attachments = {
    read: [...resources.read, ...attachments.read],
    skipped: [...resources.skipped, ...attachments.skipped]
  }
  const notes = chosen.map((name) => ({ text: delegationNote(name) }))
  const parts: ReadonlyArray<Part> =
    all.read.length === 0
      ? [{ text: typed }, ...notes]
      : [
          { text: withPiped(before, sentText(pieces, resolved)) },
          ...attachmentParts(all),
          ...(yield* contextOf(attachments.read.map(({ real }) => real))),
          ...notes
        ]
  // `me@example.com` is an address, unless there is a file of that name.
  const meant = new Set(
    pieces.flatMap((piece) => (piece._tag === "Reference" && !piece.isMidWord ? [piece.written] : []))
  )
  const told = new Map([...resolved].filter(([text]) => meant.has(text)))
  return { text: typed, parts, notes: notesOf(told, all) } satisfies ExpandedPrompt as ExpandedPrompt
})

interface ExpandOptions extends ReferenceOptions {
  readonly before?: string | undefined
  readonly readResource?: ResourceReader | undefined
  /** Names of agents: `@name` chooses one. */
  readonly agents?: ReadonlyArray<string>
}

const delegationNote = (name: string): string =>
  `\n[System note: the user chose the sub-agent "${name}" with @${name}. Give it the task with invoke_agent.]`

/** Piped data stands before the prompt, with an empty line between them. */
const withPiped = (before: string, prompt: string): string =>
  [before, prompt].filter((text) => text !== "").join("\n\n")

const typedText = (piece: PromptPiece): string => (piece._tag === "Text" ? piece.text : `@${piece.written}`)

/** Resolved references in the form in which their content is labelled, each with a space before it. */
const sentText = (pieces: ReadonlyArray<PromptPiece>, resolved: ReadonlyMap<string, ResolvedReference>): string => {
  let text = ""
  for (const piece of pieces) {
    const found = piece._tag === "Reference" ? resolved.get(piece.written) : undefined
    if (found === undefined || found.resolution._tag === "Nothing") text += typedText(piece)
    else text += `${text === "" || /\s$/.test(text) ? "" : " "}@${found.resolution.shown}${found.rest}`
  }
  return text
}

/** What the context files beside the attached files say, where the model has not been told yet. */
const contextOf = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const contexts = yield* ContextFiles
  const text = files.length === 0 ? "" : yield* contexts.contextFor(files)
  return text === "" ? [] : [{ text: `\n${text}` }]
})

const MAX_NAMED = 5

const notesOf = (
  resolved: ReadonlyMap<string, ResolvedReference>,
  { read, skipped }: Attachments
): ReadonlyArray<ExpansionNote> => [
  ...(read.length === 0 ? [] : [{ severity: "info" as const, message: attachedText(read) }]),
  ...[...resolved].flatMap(([written, { resolution }]) =>
    resolution._tag === "Nothing" && resolution.why !== undefined
      ? [{ severity: "warning" as const, message: `@${written} was sent as text: ${resolution.why}` }]
      : []
  ),
  ...skipped
    .slice(0, MAX_NAMED)
    .map(({ path, reason }) => ({ severity: "warning" as const, message: `@${path} was not attached: ${reason}` })),
  ...(skipped.length > MAX_NAMED
    ? [{ severity: "warning" as const, message: `${skipped.length - MAX_NAMED} more files were not attached` }]
    : [])
]

const attachedText = (attached: Attachments["read"]): string => {
  const bytes = formatBytes(attached.reduce((sum, file) => sum + file.bytes, 0))
  const names = attached.slice(0, MAX_NAMED).map(({ path }) => path)
  const more = attached.length > MAX_NAMED ? [`${attached.length - MAX_NAMED} more`] : []
  return `attached ${attached.length} ${attached.length === 1 ? "file" : "files"} (${bytes}): ${[...names, ...more].join(", ")}`
}

export const layer = Layer.effect(
  PromptExpansion,
  Effect.gen(function* () {
    const settings = yield* Settings
    const { services } = yield* LazyServices
    const agents = yield* Agents
    const contexts = yield* ContextFiles
    const hub = yield* McpHub
    const readResource = resourceReader(hub)
    const isRecursive = settings.get("context.fileFiltering.enableRecursiveFileSearch")
    const isFuzzy = settings.get("context.fileFiltering.enableFuzzySearch")
    const maxPaths = settings.get("context.fileFiltering.maxFileCount")
    const paths = yield* cachedOnce(
      Effect.flatMap(services, (context) =>
        Effect.provide(makePathCompletion({ isFuzzy, isRecursive, maxPaths }), context)
      )
    )
    return PromptExpansion.of({
      expand: Effect.fn("PromptExpansion.expand")(function* (prompt, { before, mayRead } = {}) {
        const context = yield* services
        return yield* expandPrompt(prompt, {
          isRecursive,
          mayRead: mayRead ?? (() => Effect.succeed(false)),
          readResource,
          agents: yield* agents.names,
          before
        }).pipe(Effect.provideService(ContextFiles, contexts), Effect.provide(context))
      }),
      prepare: Effect.flatMap(paths, ({ prepare }) => prepare),
      complete: Effect.fn("PromptExpansion.complete")(function* (text, cursor) {
        const reference = referenceAt(text, cursor)
        if (reference === undefined) return undefined
        const { candidates } = yield* paths
        const resources = resourcesLike(reference.typed, yield* hub.servers)
        const named = (yield* agents.names).filter((name) => name.startsWith(reference.typed))
        // A name with a scheme is none of a file.
        const found = resources.length > 0 && reference.typed.includes(":") ? [] : yield* candidates(reference.typed)
        return {
          from: reference.from,
          candidates: [
            ...named.map((value) => ({ value, hint: "agent" })),
            ...found.map((path) => ({ value: escapedPath(path) })),
            ...resources
          ]
        }
      })
    })
  })
)
