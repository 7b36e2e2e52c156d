/** One tool call as the scheduler makes it: prepared, then run, with its live output collected. */
import { Effect } from "effect"
import { CallId } from "../../src/protocol/ids.ts"
import type { CallContext, PreparedCall, Tool, ToolFailure, ToolOutput } from "../../src/tools/tool.ts"

export const runCall = <R>(
  tool: Tool<R>,
  args: unknown,
  more: Partial<CallContext> = {}
): Effect.Effect<ToolOutput, ToolFailure, R> =>
  Effect.flatMap(tool.prepare(args), (call) => runPreparedCall(call, () => {}, more))

export const runPreparedCall = <R>(
  call: PreparedCall<R>,
  onProgress: (text: string) => void,
  more: Partial<CallContext> = {}
) =>
  call.run({
    ...more,
    callId: CallId.make("test__1"),
    progress: (text) => Effect.sync(() => onProgress(text)),
    emit: () => Effect.void
  })
