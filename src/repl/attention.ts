/**
 * For somebody who looks elsewhere: the window's title says whether work goes on, and a notification says that it ended
 * after a while. Both by setting, and only where the terminal understands them.
 */
import { Effect } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { Screen } from "./terminal/screen.ts"

export interface AttentionOptions {
  /** `general.enableNotifications` */
  readonly notifies: boolean
  /** `undefined`: the title is left alone (`ui.hideWindowTitle`). */
  readonly title: string | undefined
  /** `ui.dynamicWindowTitle`: it says what goes on. */
  readonly isTitleDynamic: boolean
}

/** Whoever waited that long has turned to something else. */
const LONG_WORK_MS = 10_000

/** The title is set for the scope; the result wraps work that the person waits for. */
export const makeAttention = Effect.fnUntraced(function* (options: AttentionOptions) {
  const screen = yield* Screen
  const setTitle = (suffix: string) =>
    options.title === undefined ? Effect.void : screen.title(`${options.title}${suffix}`)
  const whileWorking = options.isTitleDynamic ? setTitle(" (working)") : Effect.void
  const afterwards = options.isTitleDynamic ? setTitle("") : Effect.void

  if (options.title !== undefined) yield* Effect.acquireRelease(setTitle(""), () => screen.title(""))

  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const begin = yield* monotonicMillis
      yield* whileWorking
      const result = yield* Effect.ensuring(work, afterwards)
      const tookLong = (yield* monotonicMillis) - begin >= LONG_WORK_MS
      if (options.notifies && tookLong) yield* screen.notify("gemini is done")
      return result
    })
})
