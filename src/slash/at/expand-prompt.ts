/** Puts what a prompt refers to behind it. The text keeps its references, so that the model knows what belongs where. */
import { Effect } from "effect"
import { ContextFiles } from "../../prompt/context-files.ts"
import type { Part } from "../../protocol/content.ts"
import { formatBytes } from "../../shell/output-capture.ts"
import type { ExpandedPrompt, ExpansionNote } from "../prompt-expansion.ts"
import { type Attachments, attachmentParts, readContents } from "./attach-files.ts"
import { type PromptPiece, splitReferences } from "./references.ts"
import { type ResolvedReference, type ResolveOptions, resolveReferences } from "./resolve-reference.ts"
import { type ResourceReader, readResources } from "./resources.ts"

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
  return { text: typed, parts, notes: notesOf(resolved, all) } satisfies ExpandedPrompt as ExpandedPrompt
})

export interface ExpandOptions extends ResolveOptions {
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
