/**
 * A conversation that was taken back to before a call ends with that call: it is made now, under the policy of now. Other
 * calls of the same answer may have been made then, and the model is told so.
 */
import { Effect } from "effect"
import type { Content, FunctionCall } from "../protocol/content.ts"
import { CallId } from "../protocol/ids.ts"
import type { ToolScheduler } from "../tools/tool-scheduler.ts"
import type { Emit } from "./attempt.ts"
import type { RunBudget } from "./limits/run-budget.ts"
import { runCalls } from "./limits/run-calls.ts"
import { interruptedReply } from "./tool-messages.ts"

export interface RepeatServices {
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
