/** A connection to a companion, as those use it who do not know how it is made. */
import { Data, type Duration, type Effect } from "effect"

/** Why nobody answers. */
export class NoCompanion extends Data.TaggedError("NoCompanion")<{ readonly detail: string }> {}

export interface CompanionLink {
  readonly showsDiffs: boolean
  readonly call: (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    within: Duration.Duration
  ) => Effect.Effect<unknown, NoCompanion>
  /** Waits for the end of the connection. */
  readonly lost: Effect.Effect<void>
}
