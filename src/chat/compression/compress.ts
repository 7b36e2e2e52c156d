/**
 * Replaces the older part of a history by a snapshot that a model writes and checks. Fails safe: whatever goes wrong, the
 * caller gets a status and the history stays as it was.
 */

import { join } from "node:path"
import { Effect, Option } from "effect"
import { displayName } from "../../model/model-features.ts"
import { tokenLimit } from "../../model/model-names.ts"
import { askText } from "../../model/utility-call.ts"
import type { CompressionAlias } from "../../model/utility-models.ts"
import { type Content, type FunctionResponse, type Part, userText } from "../../protocol/content.ts"
import type { CompressionStatus } from "../../protocol/event.ts"
import { limitOutput, outputFileName } from "../../tools/scheduling/limit-output.ts"
import { saveOutput } from "../../tools/scheduling/save-output.ts"
import { countTokens } from "../context-window.ts"
import { type History, sizeOf } from "../history.ts"
import { curate, requestContents } from "../request-contents.ts"
import { estimateContents, estimateParts, estimateText } from "../token-estimate.ts"
import {
  ACKNOWLEDGEMENT,
  hasSnapshotTag,
  snapshotInstruction,
  snapshotMessage,
  snapshotOf,
  snapshotRequest,
  verificationRequest
} from "./snapshot-prompt.ts"
import { splitPoint } from "./split-point.ts"

export interface CompressionInput {
  readonly history: History
  /** The model of the conversation. */
  readonly model: string
  /** What stands before every conversation. */
  readonly sessionContext: string
  /** Where results that are cut are kept whole. */
  readonly outputDir: string
  /** Characters that are left of a result that is cut. */
  readonly truncateThreshold: number
  /** An earlier snapshot was larger than what it stood for: cut results, ask no model. */
  readonly hasInflated: boolean
  /** Run when it is certain that something will be shortened, and before it is. */
  readonly announce: Effect.Effect<void>
}

export interface Compression {
  readonly status: CompressionStatus
  readonly originalTokens: number
  readonly newTokens: number
  /** The history from here on; the same as before where the status is a failure. */
  readonly contents: ReadonlyArray<Content>
  /** Why there is no snapshot, for people. */
  readonly reason?: string
}

const TIMEOUT = "5 minutes"
/** Results are never cut to less, however full the window is. */
const SHORTEST_RESULT = 2000

export const compress = Effect.fn("Chat.compress")(function* (input: CompressionInput) {
  const original = curate(input.history.contents)
  const originalTokens = sizeOf(input.history)
  const unchanged = (status: CompressionStatus, reason?: string): Compression => ({
    status,
    originalTokens,
    newTokens: originalTokens,
    contents: input.history.contents,
    ...(reason === undefined ? {} : { reason })
  })
  if (original.length === 0) return unchanged("NOOP")

  const truncated = yield* withinBudget(original, {
    outputDir: input.outputDir,
    threshold: resultLength(input, originalTokens)
  })
  if (input.hasInflated) {
    const saved = estimateContents(original) - estimateContents(truncated)
    if (saved <= 0) return unchanged("NOOP")
    yield* input.announce
    return {
      status: "CONTENT_TRUNCATED",
      originalTokens,
      newTokens: originalTokens - saved,
      contents: truncated
    } as const
  }

  const split = splitPoint(truncated)
  if (split === 0) return unchanged("NOOP")
  yield* input.announce
  const fits = estimateContents(original.slice(0, split)) < tokenLimit(input.model)
  const summary = yield* Effect.either(summarize((fits ? original : truncated).slice(0, split), input.model))
  if (summary._tag === "Left") return unchanged("COMPRESSION_FAILED_EMPTY_SUMMARY", summary.left.message)
  if (summary.right === "") return unchanged("COMPRESSION_FAILED_EMPTY_SUMMARY", "the model wrote no snapshot")

  const contents = [...opening(input.sessionContext, summary.right, truncated[split]), ...truncated.slice(split)]
  const newTokens = yield* countTokens(input.model, contents)
  return newTokens > originalTokens
    ? unchanged("COMPRESSION_FAILED_INFLATED_TOKEN_COUNT", "the snapshot is larger than the history it stands for")
    : ({ status: "COMPRESSED", originalTokens, newTokens, contents } as const)
})

const resultLength = ({ model, truncateThreshold }: CompressionInput, size: number): number => {
  const remaining = 4 * (tokenLimit(model) - size)
  return Math.max(SHORTEST_RESULT, Math.min(truncateThreshold > 0 ? truncateThreshold : remaining, remaining))
}

/** The snapshot, checked once; where the check brings nothing, the first one counts. */
const summarize = Effect.fnUntraced(function* (contents: ReadonlyArray<Content>, model: string) {
  const hasSnapshot = contents.some(({ parts }) => parts.some(({ text }) => text !== undefined && hasSnapshotTag(text)))
  const asked = [...contents, userText(snapshotRequest(hasSnapshot))]
  const ask = (conversation: ReadonlyArray<Content>, step: { readonly step?: string } = {}) =>
    askText({
      ...step,
      alias: compressionAlias(model),
      contents: requestContents(conversation),
      system: snapshotInstruction,
      role: "utility_compressor",
      timeout: TIMEOUT
    })
  const first = yield* ask(asked)
  if (first.trim() === "") return ""
  const checking = [...asked, { role: "model" as const, parts: [{ text: first }] }, userText(verificationRequest)]
  const checked = yield* ask(checking, { step: "verify" }).pipe(Effect.orElseSucceed(() => ""))
  return snapshotOf(checked.trim() === "" ? first : checked)
})

/** A tail that begins with the model's own words needs no acknowledgement before them. */
const opening = (sessionContext: string, summary: string, next: Content | undefined): ReadonlyArray<Content> => [
  userText(sessionContext),
  userText(snapshotMessage(summary)),
  ...(next?.role === "model" ? [] : [{ role: "model" as const, parts: [{ text: ACKNOWLEDGEMENT }] }])
]

/** Which preset writes the snapshot: the model of the conversation itself, where it has one. */
export const compressionAlias = (model: string): CompressionAlias => {
  switch (displayName(model)) {
    case "gemini-3-pro-preview":
    case "gemini-3.1-pro-preview":
      return "chat-compression-3-pro"
    case "gemini-3-flash-preview":
      return "chat-compression-3-flash"
    case "gemini-3.1-flash-lite":
      return "chat-compression-3.1-flash-lite"
    case "gemini-2.5-flash-lite":
      return "chat-compression-2.5-flash-lite"
    case "gemini-2.5-pro":
      return "chat-compression-2.5-pro"
    case "gemini-2.5-flash":
    case "gemini-3.5-flash":
      return "chat-compression-2.5-flash"
    default:
      return "chat-compression-default"
  }
}

interface OutputBudget {
  /** Characters that are left of a result that is cut. */
  readonly threshold: number
  readonly outputDir: string
}

const BUDGET_TOKENS = 50_000

/**
 * The newest results of tools keep their full text up to a budget; older long ones are cut to their beginning and end, and
 * saved whole where `read_file` reaches them.
 */
const withinBudget = Effect.fnUntraced(function* (contents: ReadonlyArray<Content>, budget: OutputBudget) {
  const kept: Array<Content> = []
  let tokens = 0
  for (const content of contents.toReversed()) {
    const parts: Array<Part> = []
    for (const part of content.parts.toReversed()) {
      const isOver = tokens + (part.functionResponse === undefined ? 0 : estimateParts([part])) > BUDGET_TOKENS
      const next =
        part.functionResponse !== undefined && isOver ? yield* cut(part, part.functionResponse, budget) : part
      if (next.functionResponse !== undefined) tokens += estimateParts([next])
      parts.unshift(next)
    }
    kept.unshift(parts.every((part, index) => part === content.parts[index]) ? content : { ...content, parts })
  }
  return kept
})

/** The result stays as it is where it is short, or where it cannot be saved. */
const cut = Effect.fnUntraced(function* (
  part: Part,
  response: FunctionResponse,
  { outputDir, threshold }: OutputBudget
) {
  const text = textOfResponse(response)
  if (text.length <= threshold) return part
  const file = join(outputDir, outputFileName(response.name ?? "tool", response.id ?? "call"))
  const saved = yield* saveOutput(file, text)
  if (Option.isNone(saved)) return part
  const output = limitOutput(text, threshold, saved.value).text
  return estimateText(output) < estimateText(text)
    ? { ...part, functionResponse: { ...response, response: { output } } }
    : part
})

/** What the model reads of a result. */
const textOfResponse = ({ response }: FunctionResponse): string => {
  const text = response?.output ?? response?.content
  return typeof text === "string" ? text : JSON.stringify(response ?? {}, undefined, 2)
}
