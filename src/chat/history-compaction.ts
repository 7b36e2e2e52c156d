/**
 * Makes room in the context window before a turn: a snapshot in place of the older history, previews in place of old
 * results. Whether there is anything to do is a comparison of numbers; the code that does it is loaded when there is.
 */

import { Effect } from "effect"
import { Hooks } from "../hooks/hooks.ts"
import { lazy } from "../kernel/lazy.ts"
import type { ModelClient } from "../model/model-client.ts"
import { tokenLimit } from "../model/model-names.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import type { Emit } from "../protocol/event.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import type { Compression } from "./compression/compress.ts"
import { type History, historyOf, replaced, sizeOf } from "./history.ts"
import type { MaskingOptions, MessageLimits } from "./masking/mask.ts"

export interface RoomOptions {
  /** Share of the context window at which the history is compressed. */
  readonly compressionThreshold: number
  /** `contextManagement.historyWindow`, in tokens: where the history is compressed at the latest, and what of it stays. */
  readonly historyWindow?: { readonly maxTokens: number; readonly retainedTokens: number } | undefined
  /** `contextManagement.messageLimits`; absent: messages stay whole. */
  readonly messageLimits?: MessageLimits | undefined
  /** Characters that are left of a result that is cut. */
  readonly truncateThreshold: number
  /** Where results are kept whole. */
  readonly outputDir: string
  readonly masking: MaskingOptions
}

export interface Room {
  readonly history: History
  readonly memory: CompressionMemory
}

export interface RoomRequest {
  readonly model: string
  /** What stands before every conversation. */
  readonly sessionContext: Effect.Effect<string>
  readonly emit: Emit
}

export const makeRoom = Effect.fnUntraced(function* (room: Room, request: RoomRequest, options: RoomOptions) {
  const compressed = yield* compressIfDue(room, request, options)
  const history = yield* masked(compressed.history, options)
  return { ...compressed, history: yield* limited(history, options) } satisfies Room
})

const compressIfDue = Effect.fnUntraced(function* (
  room: Room,
  request: RoomRequest,
  options: RoomOptions
): Effect.fn.Return<Room, never, ModelClient | UtilityModels> {
  // Hooks hear of it whenever it is considered, as they do in the reference; what stands before a conversation counts.
  yield* (yield* Hooks).told("PreCompress", "auto", request.emit)
  const limits = {
    model: request.model,
    threshold: options.compressionThreshold,
    maxTokens: options.historyWindow?.maxTokens
  }
  if (!isCompressionDue(room.history, room.memory, limits)) return room
  return (yield* compressNow(room, { ...request, force: false }, options)).room
})

/** What an attempt came to, for the person who asked for it. */
export interface CompressionReport extends Pick<Compression, "status" | "originalTokens" | "newTokens"> {
  /** Why there is no snapshot. */
  readonly reason?: string | undefined
}

/** `force`: a person asked for it. Then a model writes a snapshot, also where an earlier one came out too large. */
export const compressNow = Effect.fnUntraced(function* (
  room: Room,
  request: RoomRequest & { readonly force: boolean },
  options: RoomOptions
) {
  const hooks = yield* Hooks
  const { compress } = yield* lazy(() => import("./compression/compress.ts"))
  const result = yield* compress({
    ...options,
    history: room.history,
    model: request.model,
    sessionContext: yield* request.sessionContext,
    hasInflated: room.memory.hasInflated && !request.force,
    announce: request.force ? hooks.told("PreCompress", "manual", request.emit) : Effect.void
  })
  yield* tell(result, request)
  const { contents, newTokens, originalTokens, reason, status } = result
  const helped = contents !== room.history.contents
  const report: CompressionReport = { status, originalTokens, newTokens, reason }
  const made: Room = {
    history: helped ? replaced(room.history, contents, originalTokens - newTokens) : room.history,
    memory: afterAttempt(room.memory, {
      model: request.model,
      size: originalTokens,
      helped,
      inflated: status === "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT" && !request.force
    })
  }
  return { report, room: made }
})

/** Whoever asked for it reads in the report what went wrong. */
const tell = (
  { contents, newTokens, originalTokens, reason, status }: Compression,
  { emit, force, model }: RoomRequest & { readonly force: boolean }
): Effect.Effect<void> => {
  if (status === "NOOP" || (reason !== undefined && force)) return Effect.void
  return reason === undefined
    ? emit({
        _tag: "ChatCompressed",
        status,
        originalTokens,
        newTokens,
        windowTokens: tokenLimit(model),
        history: contents
      })
    : emit({ _tag: "Notice", severity: "warning", message: `The history could not be compressed: ${reason}.` })
}

const limited = Effect.fnUntraced(function* (history: History, { messageLimits }: RoomOptions) {
  if (messageLimits === undefined) return history
  const { limitMessages } = yield* lazy(() => import("./masking/mask.ts"))
  const contents = limitMessages(history.contents, messageLimits)
  if (contents === history.contents) return history
  const made = historyOf(contents)
  return replaced(history, contents, history.estimatedTokens - made.estimatedTokens)
})

const masked = Effect.fnUntraced(function* (history: History, options: RoomOptions) {
  const { minPrunableThresholdTokens, protectionThresholdTokens } = options.masking
  // The result that crosses the threshold is old as a whole: no more than it may be there.
  if (history.responseTokens <= Math.max(protectionThresholdTokens, minPrunableThresholdTokens - 1)) return history
  const { maskOldResults } = yield* lazy(() => import("./masking/mask.ts"))
  const masking = yield* maskOldResults(history.contents, { ...options.masking, outputDir: options.outputDir })
  if (masking.savedTokens === 0) return history
  yield* (yield* Telemetry).log({
    name: "gemini_cli.tool_output_masking",
    body: `Old results of tools were masked: ${masking.maskedCount}.`,
    attributes: {
      tokens_before: history.responseTokens,
      tokens_after: history.responseTokens - masking.savedTokens,
      masked_count: masking.maskedCount,
      total_prunable_tokens: masking.prunableTokens
    }
  })
  return replaced(history, masking.contents, masking.savedTokens)
})

/** What earlier attempts have shown. */
interface CompressionMemory {
  /** A snapshot came out larger than what it stood for: models are no longer asked, old results are still cut. */
  readonly hasInflated: boolean
  /** Below this size another attempt would only fail again. */
  readonly notBelow: number
}

/** When the history is compressed. Asked before every turn, so this file needs nothing of the compression itself. */
export const noAttempts: CompressionMemory = { hasInflated: false, notBelow: 0 }

/** How much the history must grow after an attempt that changed nothing, as a share of the window. */
const PAUSE = 0.05

export const isCompressionDue = (
  history: History,
  memory: CompressionMemory,
  options: { readonly model: string; readonly threshold: number; readonly maxTokens?: number | undefined }
): boolean => {
  const size = sizeOf(history)
  const { maxTokens = Number.POSITIVE_INFINITY, model, threshold } = options
  const limit = Math.min(threshold * tokenLimit(model), maxTokens)
  return history.contents.length > 0 && size >= limit && size >= memory.notBelow
}

export const afterAttempt = (
  memory: CompressionMemory,
  attempt: { readonly model: string; readonly size: number; readonly helped: boolean; readonly inflated: boolean }
): CompressionMemory =>
  attempt.helped
    ? { ...memory, notBelow: 0 }
    : {
        hasInflated: memory.hasInflated || attempt.inflated,
        notBelow: attempt.size + PAUSE * tokenLimit(attempt.model)
      }
