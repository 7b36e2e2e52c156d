/**
 * Slash commands in the prompt of a headless run. A command that prints is answered by what it prints, without a model;
 * one that needs somebody to answer is refused.
 */
import { Effect } from "effect"
import { type PastUse, resumeStats } from "../chat/stats/session-stats.ts"
import { Notices } from "../protocol/notices.ts"
import type { CommandResult } from "../slash/command.ts"
import { CommandError } from "../slash/command-error.ts"
import { CommandRegistry } from "../slash/command-registry.ts"
import * as Slash from "../slash/from-config.ts"
import { type GivenPrompt, type PreparedPrompt, wholeText, withMedia } from "./given-prompt.ts"
import { withReferences } from "./prompt-references.ts"

export const runCommand = Effect.fnUntraced(function* (given: GivenPrompt, past?: PastUse) {
  const run = Effect.gen(function* () {
    if (past !== undefined) yield* resumeStats(past.used, past.settings)
    const registry = yield* CommandRegistry
    const { warn } = yield* Notices
    yield* Effect.forEach(yield* registry.notices, warn, { discard: true })
    return yield* registry.run(given.typed, { isInteractive: false })
  })
  const result = yield* Effect.provide(run, Slash.layer)
  return result._tag === "SubmitTyped"
    ? yield* withReferences({ ...given, typed: result.text, piped: joined(given.piped, result.before) })
    : yield* prepared(given, result)
})

const joined = (...texts: ReadonlyArray<string | undefined>): string =>
  texts.filter((text) => text !== undefined && text !== "").join("\n\n")

const prepared = (
  given: GivenPrompt,
  result: Exclude<CommandResult, { readonly _tag: "SubmitTyped" }>
): Effect.Effect<PreparedPrompt, CommandError> => {
  switch (result._tag) {
    case "Print":
      return Effect.succeed({ _tag: "Print", text: result.text })
    case "OpenUrl":
      return Effect.succeed({ _tag: "Print", text: `${result.told}\n${result.url}` })
    case "Reconfigure":
      return Effect.succeed({ _tag: "Print", text: result.told })
    case "Submit": {
      const parts = given.piped === "" ? result.prompt.parts : [{ text: `${given.piped}\n\n` }, ...result.prompt.parts]
      const prompt = withMedia({ text: wholeText(given), parts }, given)
      return Effect.succeed({ _tag: "Send", prompt, notes: result.notes ?? [] })
    }
    default:
      return new CommandError({
        kind: "interactive",
        detail: `${given.typed.trim().split(/\s/)[0]} works only in a conversation at a terminal.`,
        advice: "Start gemini without -p."
      })
  }
}
