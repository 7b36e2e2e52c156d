/** Tells that somebody types, at most once a second: the program is watched more closely while a person is at it. */
import { Effect } from "effect"
import { Telemetry } from "../telemetry/telemetry.ts"

export const watch = (typed: Effect.Effect<void>) =>
  Effect.flatMap(Telemetry, ({ active }) =>
    Effect.forkScoped(
      Effect.forever(typed.pipe(Effect.zipRight(active("user_input_start")), Effect.zipRight(Effect.sleep("1 second"))))
    )
  )
