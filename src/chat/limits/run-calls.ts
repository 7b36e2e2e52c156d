/** The tool calls of one turn, as far as the limit of the run allows. Those beyond it are answered, but not made. */
import { Effect } from "effect"
import type { ToolCall, ToolReply, ToolScheduler } from "../../tools/tool-scheduler.ts"
import type { Emit } from "../attempt.ts"
import type { RunBudget } from "./run-budget.ts"

export const runCalls = Effect.fnUntraced(function* (
  calls: ReadonlyArray<ToolCall>,
  services: { readonly scheduler: ToolScheduler["Type"]; readonly budget: RunBudget["Type"] },
  emit: Emit
) {
  const allowed = yield* services.budget.takeCalls(calls.length)
  const replies = yield* services.scheduler.run(calls.slice(0, allowed), emit)
  const refused = yield* Effect.forEach(calls.slice(allowed), (call) => refuse(call, emit))
  return [...replies, ...refused]
})

const NOT_MADE = "The call was not made: the limit of tool calls was reached."

const refuse = ({ callId, name }: ToolCall, emit: Emit): Effect.Effect<ToolReply> =>
  Effect.as(
    emit({
      _tag: "ToolFinished",
      callId,
      name,
      status: "error",
      output: NOT_MADE,
      error: { type: "execution_failed", message: NOT_MADE },
      durationMs: 0
    }),
    { callId, parts: [{ functionResponse: { id: callId, name, response: { error: NOT_MADE } } }], injected: [] }
  )
