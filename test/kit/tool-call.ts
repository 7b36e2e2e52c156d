/** One tool call as the scheduler makes it: prepared, then run, with its live output collected. */
import { Effect } from "effect"
import { CallId } from "../../src/protocol/ids.ts"
import type { PreparedCall, Tool, ToolFailure, ToolOutput } from "../../src/tools/tool.ts"

export const runCall = <R>(tool: Tool<R>, args: unknown): Effect.Effect<ToolOutput, ToolFailure, R> =>
  Effect.flatMap(tool.prepare(args), (call) => runPreparedCall(call, () => {}))

export const runPreparedCall = <R>(call: PreparedCall<R>, onProgress: (text: string) => void) =>
  call.run({
    callId: CallId.make("test__1"),
    progress: (text) => Effect.sync(() => onProgress(text)),
    emit: () => Effect.void
  })
