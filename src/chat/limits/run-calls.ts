/** The tool calls of one turn, as far as the limit of the run allows. Those beyond it are answered, but not made. */
import { Effect } from "effect"
import type { Content, FunctionCall } from "../../protocol/content.ts"
import type { Emit } from "../../protocol/event.ts"
import { CallId } from "../../protocol/ids.ts"
import type { ToolCall, ToolReply, ToolScheduler } from "../../tools/tool-scheduler.ts"
import { errorReplies, interruptedReply } from "../tool-messages.ts"
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

/** A call that is not made: the model and the readers get an answer to it all the same. */

/** `reason` is for both of them. */
export const refuseCall = ({ callId, name }: ToolCall, reason: string, emit: Emit): Effect.Effect<ToolReply> =>
  Effect.as(
    emit({
      _tag: "ToolFinished",
      callId,
      name,
      status: "error",
      output: reason,
      error: { type: "execution_failed", message: reason },
      durationMs: 0
    }),
    { callId, parts: errorReplies([{ id: callId, name }], reason).parts, injected: [] }
  )

/**
 * A conversation that was taken back to before a call ends with that call: it is made now, under the policy of now. Other
 * calls of the same answer may have been made then, and the model is told so.
 */
interface RepeatServices {
  readonly scheduler: ToolScheduler["Type"]
  readonly budget: RunBudget["Type"]
}

/** The replies to all calls of the last answer, in their order; none where it did not ask for this call. */
export const repeatCall = Effect.fnUntraced(function* (
  contents: ReadonlyArray<Content>,
  callId: string,
  { emit, ...services }: RepeatServices & { readonly emit: Emit }
) {
  const calls = openCalls(contents)
  const wanted = calls.find(({ id }) => id === callId)
  if (wanted === undefined) return []
  const { args = {}, name = "" } = wanted
  const made = yield* runCalls([{ callId: CallId.make(callId), name, args }], services, emit)
  return calls.flatMap((call) =>
    call === wanted ? made : [interruptedReply({ callId: CallId.make(call.id ?? ""), name: call.name ?? "" })]
  )
})

/** Those of the last answer, as long as nothing was said after it. */
export const openCalls = (contents: ReadonlyArray<Content>): ReadonlyArray<FunctionCall> => {
  const last = contents.at(-1)
  return last?.role === "model" ? last.parts.flatMap(({ functionCall }) => functionCall ?? []) : []
}
