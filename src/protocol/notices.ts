/** What a person should know beside the answer: one line each, and the run goes on. */
import { Context, type Effect } from "effect"

export class Notices extends Context.Tag("agent/protocol/Notices")<
  Notices,
  {
    /** Something does not work as it was meant to. */
    readonly warn: (text: string) => Effect.Effect<void>
    readonly info: (text: string) => Effect.Effect<void>
    /** As it is, and as often as it is said: a part of a dialogue. */
    readonly say: (line: string) => Effect.Effect<void>
  }
>() {}
