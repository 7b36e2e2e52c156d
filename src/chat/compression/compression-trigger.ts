/** When the history is compressed. Asked before every turn, so this file needs nothing of the compression itself. */
import { tokenLimit } from "../../model/model-names.ts"
import { type History, sizeOf } from "../history.ts"

/** What earlier attempts have shown. */
export interface CompressionMemory {
  /** A snapshot came out larger than what it stood for: models are no longer asked, old results are still cut. */
  readonly hasInflated: boolean
  /** Below this size another attempt would only fail again. */
  readonly notBelow: number
}

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
