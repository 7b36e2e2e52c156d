/** What a line can ask for beside prompts: slash commands, references to files, shell commands. */
import { Layer } from "effect"
import * as SessionStats from "../chat/stats/session-stats.ts"
import * as PromptExpansion from "../commands/at/prompt-expansion-layer.ts"
import * as CommandRegistry from "../commands/registry-layer.ts"
import * as ShellLine from "../commands/shell/shell-line-layer.ts"
import { takeBackLayer } from "./take-back-layer.ts"

export const commandsLayer = Layer.mergeAll(CommandRegistry.layer(), PromptExpansion.layer, ShellLine.layer).pipe(
  Layer.provideMerge(SessionStats.layer),
  Layer.provide(takeBackLayer)
)
