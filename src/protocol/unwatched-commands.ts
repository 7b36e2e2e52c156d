/** Command lines that the program runs by itself without looking whether their files have changed. */
import { Context, Effect } from "effect"

export class UnwatchedCommands extends Context.Reference<UnwatchedCommands>()("agent/protocol/UnwatchedCommands", {
  defaultValue: (): Effect.Effect<ReadonlyArray<string>> => Effect.succeed([])
}) {}
