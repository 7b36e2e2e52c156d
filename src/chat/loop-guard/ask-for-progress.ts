/** The question whether there is progress, when it is due: a finding adds a word to the message, or ends the run. */

import { Effect } from "effect"
import { lazy } from "../../kernel/lazy.ts"
import type { Content } from "../../protocol/content.ts"
import { reactToLoop, type WatchedRun } from "./react.ts"

/** Returns the message that is really sent. */
export const askForProgress = Effect.fnUntraced(function* (
  message: Content,
  history: ReadonlyArray<Content>,
  run: WatchedRun & { readonly text: string }
) {
  const { checkProgress } = yield* lazy(() => import("./progress-check.ts"))
  const { confidence, finding } = yield* checkProgress({ history, request: run.text, promptId: run.promptId })
  run.guard.wasChecked(confidence)
  if (finding === undefined) return message
  const text = yield* reactToLoop(finding, run)
  return { ...message, parts: [...message.parts, { text }] }
})
