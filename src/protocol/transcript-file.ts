/** Where the session is recorded, for programs that are told of it; absent until something was written. */
import { Context, Effect } from "effect"

export class TranscriptFile extends Context.Reference<TranscriptFile>()("agent/protocol/TranscriptFile", {
  defaultValue: (): Effect.Effect<string | undefined> => Effect.sync(() => undefined)
}) {}
