/** Why the effects of a call are not recorded. */
import { Effect, Schema } from "effect"
import { errnoOf } from "../../files/file-error.ts"

export class NotCovered extends Schema.TaggedError<NotCovered>()("NotCovered", { why: Schema.String }) {
  static readonly fromSystem = (cause: unknown) => {
    const reason = cause instanceof Error && !("code" in cause) ? cause.message : errnoOf(cause)
    return new NotCovered({ why: `its journal cannot be written (${reason})` })
  }

  override get message() {
    return this.why
  }
}

/** Does something with the journal or the cache. */
export const written = <A>(write: () => A) => Effect.try({ try: write, catch: NotCovered.fromSystem })
