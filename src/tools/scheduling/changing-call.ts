/** Whether a call may change files, and which: what has to be recorded so that it can be taken back. */
import { changesNoFiles } from "../../policy/written-paths.ts"
import type { ChangingCall } from "../../session/undo/change-journal.ts"
import type { PreparedCall, Tool } from "../tool.ts"
import type { ToolCall } from "../tool-scheduler.ts"

/** Writes outside the workspace only. */
const MEMORY_TOOL = "save_memory"

/** `undefined`: it changes nothing that could be taken back. */
export const changingCall = (tool: Tool, call: ToolCall, prepared: PreparedCall): ChangingCall | undefined => {
  if (changesNoFiles(tool) || tool.name === MEMORY_TOOL) return undefined
  const { args, callId } = call
  const common = { callId, tool: tool.name, args, what: prepared.description }
  // Our own editing tools write where they say; a shell, a server or a discovered program may write anywhere.
  if (tool.kind !== "edit" || tool.server !== undefined) return { ...common, goesOn: args.is_background === true }
  const paths = prepared.locations.map(({ path }) => path)
  return paths.length === 0 ? undefined : { ...common, paths }
}
