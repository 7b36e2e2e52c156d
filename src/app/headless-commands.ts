/**
 * References and slash commands in the prompt of a headless run. A command that prints is answered by what it prints,
 * without a model; one that needs somebody to answer is refused.
 */
import { Effect } from "effect"
import type { Prompt } from "../chat/chat.ts"
import type { CommandResult } from "../commands/command.ts"
import { CommandError } from "../commands/command-error.ts"
import { CommandRegistry } from "../commands/command-registry.ts"
import { type ExpansionNote, PromptExpansion } from "../commands/prompt-expansion.ts"
import { commandsLayer } from "./commands-layer.ts"
import { type GivenPrompt, mayCommand, wholeText } from "./headless-prompt.ts"

export type Prepared =
  | { readonly _tag: "Send"; readonly prompt: Prompt; readonly notes: ReadonlyArray<ExpansionNote> }
  | { readonly _tag: "Print"; readonly text: string }

export const preparePrompt = (given: GivenPrompt) => Effect.provide(prepare(given), commandsLayer)

const prepare = Effect.fnUntraced(function* (given: GivenPrompt) {
  if (!mayCommand(given)) return yield* expanded(given, given.typed)
  const registry = yield* CommandRegistry
  const result = yield* registry.run(given.typed, { isInteractive: false })
  if (result._tag === "SubmitTyped") return yield* expanded(given, result.text)
  return yield* prepared(given, result)
})

const expanded = Effect.fnUntraced(function* ({ piped }: GivenPrompt, typed: string) {
  const expansion = yield* PromptExpansion
  const { notes, parts, text } = yield* expansion.expand(typed, { before: piped })
  return { _tag: "Send", prompt: { text, parts }, notes } satisfies Prepared as Prepared
})

const prepared = (
  given: GivenPrompt,
  result: Exclude<CommandResult, { readonly _tag: "SubmitTyped" }>
): Effect.Effect<Prepared, CommandError> => {
  switch (result._tag) {
    case "Print":
      return Effect.succeed({ _tag: "Print", text: result.text })
    case "OpenUrl":
      return Effect.succeed({ _tag: "Print", text: `${result.told}\n${result.url}` })
    case "Reconfigure":
      return Effect.succeed({ _tag: "Print", text: result.told })
    case "Nothing":
      return Effect.succeed({ _tag: "Print", text: "" })
    case "Submit": {
      const parts = given.piped === "" ? result.prompt.parts : [{ text: `${given.piped}\n\n` }, ...result.prompt.parts]
      return Effect.succeed({ _tag: "Send", prompt: { text: wholeText(given), parts }, notes: result.notes ?? [] })
    }
    default:
      return new CommandError({
        kind: "interactive",
        detail: `${given.typed.trim().split(/\s/)[0]} works only in a conversation at a terminal.`,
        advice: "Start gemini without -p."
      })
  }
}
