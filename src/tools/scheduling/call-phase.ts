/** How long the parts of calls take, where somebody wants to know. Waiting for a person or a hook is none of them. */
import type { Effect } from "effect"
import { measured } from "../../telemetry/telemetry.ts"

export const phase = (
  tool: string,
  name: "validation" | "preparation" | "execution" | "result_processing"
): (<A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  measured("gemini_cli.tool.execution.breakdown", { function_name: tool, phase: name })
