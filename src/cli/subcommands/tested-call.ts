/** The call that `gemini policy test` is asked about: a shell command, or a tool with its arguments. */

import { Effect, Either, Option, Schema } from "effect"
import { invokeAgentEntry } from "../../agents/generated/invoke-agent.ts"
import type { SettingsView } from "../../config/settings.ts"
import { type PolicyCall, SHELL_TOOL } from "../../policy/decision.ts"
import { BUILT_IN_TOOLS, canonicalName } from "../../policy/tool-names.ts"
import type { CatalogueEntry } from "../../tools/catalogue.ts"
import { builtinCatalogue } from "../../tools/generated/declarations.ts"
import { withoutCallOptions } from "../../tools/tool.ts"
import { answersTo, leftOutBecause, toolSettings } from "../../tools/tool-selection.ts"
import { looksLikeOption } from "../parse-argv.ts"
import { type UsageError, usageError } from "../usage-error.ts"
import { unknownTool } from "./unknown-tool.ts"

export interface CallWords {
  readonly words: ReadonlyArray<string>
  readonly tool: Option.Option<string>
  readonly args: Option.Option<string>
}

export interface TestedCall {
  readonly call: PolicyCall
  /** Why no model is offered this tool under these settings, whatever the policy says. */
  readonly note: (settings: SettingsView) => string | undefined
}

const EXAMPLE = "gemini policy test 'git push'"

export const callOf = (given: CallWords): Effect.Effect<TestedCall, UsageError> =>
  Effect.gen(function* () {
    const command = yield* commandOf(given.words)
    const args = yield* argumentsOf(given.args)
    if (command === undefined && Option.isNone(given.tool)) {
      return yield* usageError("There is no command to test", `Write ${EXAMPLE}, or name a tool with --tool.`)
    }
    const { entries, name } = yield* toolOf(Option.getOrElse(given.tool, () => SHELL_TOOL))
    if (command !== undefined && name !== SHELL_TOOL) {
      return yield* usageError(`${name} runs no command`, "Give its arguments with --args, and no command.")
    }
    const complete = command === undefined ? args : { ...args, command }
    if (name === SHELL_TOOL && typeof complete.command !== "string") {
      return yield* usageError(`${SHELL_TOOL} needs a command`, `Write ${EXAMPLE}.`)
    }
    const [first] = entries
    return {
      call: {
        name,
        args: withoutCallOptions(complete),
        ...(first === undefined ? {} : { aliases: first.aliases, kind: first.kind, schema: first.parameters })
      },
      note: (settings) => {
        const reasons = entries.map((entry) => leftOutBecause(entry, toolSettings(settings)))
        const [why] = reasons.includes(undefined) ? [] : reasons
        return why === undefined ? undefined : `${name} is not offered to any model: ${why}`
      }
    }
  })

/** A shell has taken the quotes away before we see the words, so putting several together would be a guess. */
const commandOf = ([command, next]: ReadonlyArray<string>): Effect.Effect<string | undefined, UsageError> => {
  const stray = command !== undefined && looksLikeOption(command) && !/\s/.test(command) ? command : next
  if (stray?.startsWith("--") === true) {
    return usageError(`${stray} is unknown`, "See gemini policy --help.")
  }
  if (stray !== undefined) {
    return usageError(`Unknown argument "${stray}"`, `Put the whole command in quotes: ${EXAMPLE}.`)
  }
  return command?.trim() === "" ? usageError("The command is empty", `Write ${EXAMPLE}.`) : Effect.succeed(command)
}

const Arguments = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const argumentsOf = (text: Option.Option<string>): Effect.Effect<typeof Arguments.Type, UsageError> => {
  if (Option.isNone(text)) return Effect.succeed({})
  const hint = `Write --args '{"file_path": "notes.md"}'.`
  const value = Schema.decodeEither(Schema.parseJson())(text.value)
  if (Either.isLeft(value)) return usageError(`--args is not JSON: ${text.value.slice(0, 60)}`, hint)
  // An array would pass as a record.
  return Schema.is(Arguments)(value.right) && !Array.isArray(value.right)
    ? Effect.succeed(value.right)
    : usageError("--args must be a JSON object", hint)
}

interface NamedTool {
  readonly name: string
  /** Empty for tools that come from elsewhere; several where a tool has more than one form. */
  readonly entries: ReadonlyArray<CatalogueEntry>
}

const catalogue = [...builtinCatalogue, invokeAgentEntry]

const toolOf = (typed: string): Effect.Effect<NamedTool, UsageError> => {
  const entries = catalogue.filter((entry) => answersTo(entry, typed))
  const name = entries[0]?.name ?? canonicalName(typed)
  const isForeign = /^(mcp_|discovered_tool_)./.test(name)
  if (entries.length > 0 || isForeign || BUILT_IN_TOOLS.includes(name)) return Effect.succeed({ entries, name })
  return unknownTool(typed, [...new Set([...catalogue.map((entry) => entry.name), ...BUILT_IN_TOOLS])])
}
