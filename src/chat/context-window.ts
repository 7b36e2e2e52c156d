/** Whether a message still fits into the model's context window, asked before it is sent. */
import { Effect } from "effect"
import { ModelClient } from "../model/model-client.ts"
import { tokenLimit } from "../model/model-names.ts"
import { estimateContents, holdsMedia } from "../model/token-estimate.ts"
import type { Content } from "../protocol/content.ts"
import { ContextOverflow } from "./chat-error.ts"

/** Only the service can count media; it is asked for no longer than this. */
const COUNT_TIMEOUT = "10 seconds"

export const countTokens = Effect.fnUntraced(function* (model: string, contents: ReadonlyArray<Content>) {
  const estimate = estimateContents(contents)
  if (!contents.some(({ parts }) => holdsMedia(parts))) return estimate
  const client = yield* ModelClient
  return yield* client.countTokens({ model, contents }).pipe(
    Effect.timeout(COUNT_TIMEOUT),
    Effect.orElseSucceed(() => estimate)
  )
})

/** `usedTokens` is the size of the conversation without the message. */
export const checkFit = Effect.fnUntraced(function* (
  message: Content,
  window: { readonly model: string; readonly usedTokens: number }
) {
  const estimatedTokens = yield* countTokens(window.model, [message])
  const limit = tokenLimit(window.model)
  const remainingTokens = Math.max(0, limit - window.usedTokens)
  if (estimatedTokens > remainingTokens) {
    const usedShare = window.usedTokens / limit
    return yield* new ContextOverflow({ model: window.model, estimatedTokens, remainingTokens, usedShare })
  }
})
