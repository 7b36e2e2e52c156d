/**
 * The model that the person wants, as they named it: an id, an alias or `auto`. It may change during a session
 * (`/model`); routing turns it into the model that answers. What was learnt about other models is then forgotten.
 */

import { Context, Effect, Ref } from "effect"
import { service } from "../kernel/layers.ts"
import { ModelAvailability } from "../retry/availability/model-availability.ts"

export class SelectedModel extends Context.Tag("agent/model/SelectedModel")<
  SelectedModel,
  {
    readonly get: Effect.Effect<string>
    /** From the next prompt on. */
    readonly set: (name: string) => Effect.Effect<void>
  }
>() {}

const make = (initial: string) =>
  Effect.gen(function* () {
    const availability = yield* ModelAvailability
    const selected = yield* Ref.make(initial)
    return SelectedModel.of({
      get: Ref.get(selected),
      set: (name) => Effect.zipRight(Ref.set(selected, name), availability.reset)
    })
  })

export const layer = (initial: string) => service(SelectedModel, make(initial))
