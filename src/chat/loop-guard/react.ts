/** What is done about a loop: the first time the model is told, the second time the run ends. */
import { Effect } from "effect"
import type { Content } from "../../protocol/content.ts"
import type { ToolCall } from "../../tools/tool-scheduler.ts"
import type { Emit } from "../attempt.ts"
import { errorReplies } from "../tool-messages.ts"
import { type LoopFinding, type LoopGuard, stepBack } from "./loop-guard.ts"

/** The words that make the model step back. */
export const reactToLoop = Effect.fnUntraced(function* (guard: LoopGuard, finding: LoopFinding, emit: Emit) {
  const end = guard.reacts(finding)
  if (end !== undefined) {
    yield* emit({ _tag: "Notice", severity: "warning", message: "Loop detected, stopping execution" })
    return yield* end
  }
  const message = `The model seems to be stuck: ${finding.detail}. It was asked to step back.`
  yield* emit({ _tag: "Notice", severity: "warning", message })
  return stepBack(finding)
})

/** Calls that are not made: the model and the readers get an answer to each of them all the same. */
export const refuseCalls = Effect.fnUntraced(function* (calls: ReadonlyArray<ToolCall>, emit: Emit) {
  yield* Effect.forEach(calls, ({ callId, name }) =>
    emit({
      _tag: "ToolFinished",
      callId,
      name,
      status: "error",
      output: NOT_MADE,
      error: { type: "execution_failed", message: NOT_MADE },
      durationMs: 0
    })
  )
  const replies: Content = errorReplies(
    calls.map(({ callId, name }) => ({ id: callId, name })),
    NOT_MADE
  )
  return replies.parts
})

const NOT_MADE = "The call was not made: it repeats what was done before."
