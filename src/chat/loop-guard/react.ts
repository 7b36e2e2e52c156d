/** What is done about a loop: the first time the model is told, the second time the run ends. */
import { Effect } from "effect"
import type { PromptId } from "../../protocol/ids.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import type { Emit } from "../attempt.ts"
import { type LoopFinding, type LoopGuard, stepBack } from "./loop-guard.ts"

export interface WatchedRun {
  readonly promptId: PromptId
  readonly guard: LoopGuard
  readonly emit: Emit
}

/** The words that make the model step back. */
export const reactToLoop = Effect.fnUntraced(function* (finding: LoopFinding, { emit, guard, promptId }: WatchedRun) {
  const end = guard.reacts(finding)
  yield* (yield* Telemetry).log({
    name: "loop_detected",
    body: `Loop detected. Type: ${LOOP_TYPES[finding.kind]}.`,
    attributes: {
      loop_type: LOOP_TYPES[finding.kind],
      prompt_id: promptId,
      count: guard.findingCount,
      ...(finding.kind === "progress" ? { confirmed_by_model: true, analysis: finding.detail } : {})
    }
  })
  if (end !== undefined) {
    yield* emit({ _tag: "Notice", severity: "warning", message: "Loop detected, stopping execution" })
    return yield* end
  }
  const message = `The model seems to be stuck: ${finding.detail}. It was asked to step back.`
  yield* emit({ _tag: "Notice", severity: "warning", message })
  return stepBack(finding)
})

const LOOP_TYPES = {
  calls: "consecutive_identical_tool_calls",
  text: "chanting_identical_sentences",
  progress: "llm_detected_loop"
} as const

/** Why calls that close a circle are not made. */
export const REPEATED = "The call was not made: it repeats what was done before."
