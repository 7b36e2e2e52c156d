/** A call that is not made: the model and the readers get an answer to it all the same. */
import { Effect } from "effect"
import type { ToolCall, ToolReply } from "../tools/tool-scheduler.ts"
import type { Emit } from "./attempt.ts"
import { errorReplies } from "./tool-messages.ts"

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
