/** `gemini completion`: prints the completion script of a shell, which is generated. */
import * as Command from "@effect/cli/Command"
import { Effect } from "effect"
import { CliContext } from "../cli-context.ts"
import { printCompletion } from "../completion-script.ts"
import { defineSubcommand } from "../subcommand.ts"

const of = (shell: string) =>
  Command.make(shell, {}, () => Effect.flatMap(CliContext, (context) => printCompletion(shell, context))).pipe(
    Command.withDescription(`For ${shell}.`)
  )

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("completion").pipe(
    Command.withDescription("Print the completion script of a shell."),
    Command.withSubcommands([of("bash"), of("zsh"), of("fish")])
  ),
  examples: [
    "source <(gemini completion bash)    in ~/.bashrc",
    "source <(gemini completion zsh)     in ~/.zshrc, after compinit",
    "gemini completion fish | source     in ~/.config/fish/config.fish"
  ]
})
