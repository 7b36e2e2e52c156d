/** The tool calls of one turn, as far as the limit of the run allows. Those beyond it are answered, but not made. */
import { Effect } from "effect"
import type { ToolCall, ToolReply, ToolScheduler } from "../../tools/tool-scheduler.ts"
import type { Emit } from "../attempt.ts"
import { refuseCall } from "../refuse-call.ts"
import type { RunBudget } from "./run-budget.ts"

export const runCalls = Effect.fnUntraced(function* (
  calls: ReadonlyArray<ToolCall>,
  services: { readonly scheduler: ToolScheduler["Type"]; readonly budget: RunBudget["Type"] },
  emit: Emit,
  onReply?: (reply: ToolReply) => void
) {
  const allowed = yield* services.budget.takeCalls(calls.length)
  const replies = yield* services.scheduler.run(calls.slice(0, allowed), emit, onReply)
  const refused = yield* Effect.forEach(calls.slice(allowed), (call) => refuseCall(call, NOT_MADE, emit))
  return [...replies, ...refused]
})

const NOT_MADE = "The call was not made: the limit of tool calls was reached."
