/** Tools by which the model calls agents, of which a room above this one knows. */
import { Context } from "effect"
import type { JoinedTool } from "./registry.ts"

export class AgentTools extends Context.Reference<AgentTools>()("agent/tools/AgentTools", {
  defaultValue: (): ReadonlyArray<JoinedTool> => []
}) {}
