/** What the session is about right now, as the model puts it. */

import { Context, Effect, Ref } from "effect"
import { service } from "../kernel/layers.ts"

export interface TopicState {
  readonly title: string
  readonly summary: string
  readonly intent: string
}

export class Topic extends Context.Tag("agent/tools/Topic")<
  Topic,
  {
    readonly current: Effect.Effect<TopicState>
    readonly set: (state: TopicState) => Effect.Effect<void>
  }
>() {}

const make = Effect.map(Ref.make<TopicState>({ title: "", summary: "", intent: "" }), (state) => ({
  current: Ref.get(state),
  set: (next: TopicState) => Ref.set(state, next)
}))

export const layer = service(Topic, make)
