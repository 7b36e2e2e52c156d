/** Whether a call may change files, and which: what has to be recorded so that it can be taken back. */
import type { ChangingCall } from "../../session/undo/change-journal.ts"
import type { PreparedCall, Tool, ToolKind } from "../tool.ts"
import type { ToolCall } from "../tool-scheduler.ts"

/** What calls of these kinds do happens outside the workspace, or not at all. An agent's own calls are seen by themselves. */
const HARMLESS: ReadonlySet<ToolKind> = new Set([
  "read",
  "search",
  "fetch",
  "think",
  "agent",
  "communicate",
  "plan",
  "switch_mode"
])

/** Tools of no particular kind that write outside the workspace only. */
const ELSEWHERE: ReadonlySet<string> = new Set(["write_todos", "save_memory", "complete_task"])

/** `undefined`: it changes nothing that could be taken back. */
export const changingCall = (tool: Tool, call: ToolCall, prepared: PreparedCall): ChangingCall | undefined => {
  if (HARMLESS.has(tool.kind) || tool.annotations?.readOnlyHint === true || ELSEWHERE.has(tool.name)) return undefined
  const { args, callId } = call
  const common = { callId, tool: tool.name, args, what: prepared.description }
  // Our own editing tools write where they say; a shell, a server or a discovered program may write anywhere.
  if (tool.kind !== "edit" || tool.server !== undefined) return { ...common, goesOn: args.is_background === true }
  const paths = prepared.locations.map(({ path }) => path)
  return paths.length === 0 ? undefined : { ...common, paths }
}
