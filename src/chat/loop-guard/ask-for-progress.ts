/** The question whether there is progress, when it is due: a finding adds a word to the message, or ends the run. */
import { Effect } from "effect"
import type { Content } from "../../protocol/content.ts"
import type { Emit } from "../attempt.ts"
import type { LoopGuard } from "./loop-guard.ts"
import { reactToLoop } from "./react.ts"

/** Returns the message that is really sent. */
export const askForProgress = Effect.fnUntraced(function* (
  message: Content,
  history: ReadonlyArray<Content>,
  run: { readonly text: string; readonly guard: LoopGuard; readonly emit: Emit }
) {
  const { checkProgress } = yield* Effect.promise(() => import("./progress-check.ts"))
  const { confidence, finding } = yield* checkProgress({ history, request: run.text })
  run.guard.wasChecked(confidence)
  if (finding === undefined) return message
  const text = yield* reactToLoop(run.guard, finding, run.emit)
  return { ...message, parts: [...message.parts, { text }] }
})
