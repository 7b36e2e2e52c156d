/** What the lines of a conversation can ask for beside prompts: slash commands, references to files, shell commands. */
import { Effect, Layer } from "effect"
import * as SessionStats from "../chat/stats/session-stats.ts"
import * as PromptExpansion from "../commands/at/prompt-expansion-layer.ts"
import * as CommandRegistry from "../commands/command-registry.ts"
import * as ShellLine from "../commands/shell/shell-line-layer.ts"

export const commandsLayer = Layer.mergeAll(
  CommandRegistry.layer({ builtins: () => [], discover: Effect.succeed({ commands: [], notices: [] }) }),
  PromptExpansion.layer,
  ShellLine.layer
).pipe(Layer.provideMerge(SessionStats.layer))
