/**
 * `gemini policy`: which rules are in force, and what they say to a call. The verdict comes from the engine of a run,
 * over the same settings, files and trust.
 *
 * A call is judged as where a person can be asked, because that tells three things apart; what a headless run makes of
 * it is added where it differs, and `--headless` makes that the verdict.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Either, Option, Schema } from "effect"
import { invokeAgentEntry } from "../../agents/generated/invoke-agent.ts"
import type { SettingsView } from "../../config/settings.ts"
import { type Decision, type PolicyCall, SHELL_TOOL } from "../../policy/decision.ts"
import { decisionJson, decisionText, exitCodeOf, rulesJson, rulesText } from "../../policy/explain.ts"
import { isActive } from "../../policy/matching.ts"
import { Policy } from "../../policy/policy.ts"
import { BUILT_IN_TOOLS, canonicalName } from "../../policy/tool-names.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import type { CatalogueEntry } from "../../tools/catalogue.ts"
import { builtinCatalogue } from "../../tools/generated/declarations.ts"
import { withoutCallOptions } from "../../tools/tool.ts"
import { answersTo, leftOutBecause, toolSettings } from "../../tools/tool-selection.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { looksLikeOption } from "../parse-argv.ts"
import { defineSubcommand } from "../subcommand.ts"
import { type UsageError, usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, text } from "./common-options.ts"
import { type ForeseenSandbox, foreseenLines, foreseenSandbox } from "./policy-sandbox.ts"
import { type RunView, reportProblems, runFlags, viewRun } from "./run-view.ts"
import { unknownTool } from "./unknown-tool.ts"

const list = Command.make("list", { json, ...runFlags }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const view = yield* viewRun(options)
    // Rules of the settings that hold in headless runs only are made only for those: that list is the whole one.
    yield* Effect.gen(function* () {
      const policy = yield* Policy
      const rules = (yield* policy.rules).filter((rule) => Option.isNone(options.mode) || isInMode(rule, view))
      yield* context.write(options.json ? jsonDocument(rulesJson(rules)) : rulesText(rules))
      if (yield* reportProblems()) yield* exitWith(ExitCode.general)
    }).pipe(Effect.provide(view.policy({ isInteractive: false })))
  })
).pipe(
  Command.withDescription(
    "The rules in force, first match first; with --mode those of that mode. Exit 1 when a policy file has errors."
  )
)

const isInMode = (rule: Parameters<typeof isActive>[0], { mode }: RunView): boolean =>
  [true, false].some((isInteractive) => isActive(rule, { mode, isInteractive }))

const words = Args.text({ name: "command" }).pipe(Args.repeated)
const tool = text("tool", "NAME", "A call of this tool.")
const args = text("args", "JSON", "Its arguments.")
const headless = Options.boolean("headless").pipe(
  Options.withDescription("Judge as for -p, where a question is a denial.")
)
const interactive = Options.boolean("interactive").pipe(
  Options.withDescription("Judge as where a person can be asked (default).")
)

/** The call that `gemini policy test` is asked about: a shell command, or a tool with its arguments. */
interface CallWords {
  readonly words: ReadonlyArray<string>
  readonly tool: Option.Option<string>
  readonly args: Option.Option<string>
}

interface TestedCall {
  readonly call: PolicyCall
  /** Why no model is offered this tool under these settings, whatever the policy says. */
  readonly note: (settings: SettingsView) => string | undefined
}

const EXAMPLE = "gemini policy test 'git push'"

const callOf = (given: CallWords): Effect.Effect<TestedCall, UsageError> =>
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

const test = Command.make("test", { words, tool, args, headless, interactive, json, ...runFlags }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    if (options.headless && options.interactive) {
      return yield* usageError("--headless and --interactive exclude each other", "Leave one of them out.")
    }
    const { call, note } = yield* callOf(options)
    const view = yield* viewRun(options)
    const leftOut = note(view.config.settings)
    if (leftOut !== undefined) yield* context.writeError(`[INFO] ${leftOut}\n`)
    const judge = (isInteractive: boolean, before: Effect.Effect<unknown, never, CliContext | Policy>) =>
      decide(call).pipe(
        Effect.tap(() => before),
        Effect.flatMap((decision) =>
          Effect.map(foreseenSandbox(view, call, decision), (sandbox) => ({ decision, sandbox }))
        ),
        Effect.provide(view.policy({ isInteractive }))
      )
    const inHeadless = yield* judge(false, reportProblems())
    const judged: Judged = {
      call,
      view,
      headless: inHeadless.decision,
      ...(options.headless ? inHeadless : yield* judge(true, Effect.void))
    }
    yield* context.write(options.json ? jsonDocument(judgedJson(judged)) : judgedText(judged))
    yield* exitWith(exitCodeOf(judged.decision.verdict))
  })
).pipe(
  Command.withDescription(
    "What would happen to a shell command in quotes, or to a call of --tool, and why: exit 0 allow, 2 ask, 3 deny. Judged as where a person can be asked; what a run with -p makes of it is added."
  )
)

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("policy").pipe(
    Command.withDescription("Look at rules and try them."),
    Command.withSubcommands([list, test])
  ),
  // A command that was not put in quotes is answered with that advice.
  passesOptions: ["test"],
  examples: [
    "gemini policy test 'git push --force'",
    "gemini policy test --headless --policy ci.toml 'npm publish'",
    'gemini policy test --tool write_file --args \'{"file_path": "a.txt"}\''
  ]
})

const decide = (call: PolicyCall) => Effect.flatMap(Policy, (policy) => policy.decide(call))

interface Judged {
  readonly call: PolicyCall
  readonly view: RunView
  readonly decision: Decision
  readonly headless: Decision
  readonly sandbox: ForeseenSandbox | undefined
}

const judgedJson = ({ call, decision, headless, sandbox, view }: Judged) => ({
  tool: call.name,
  args: call.args,
  cwd: view.config.environment.cwd,
  trust: view.config.trust.trust,
  mode: view.mode,
  ...decisionJson(decision),
  headless_verdict: headless.verdict,
  ...(sandbox === undefined ? {} : { sandbox })
})

const judgedText = ({ decision, headless, sandbox, view }: Judged): string => {
  const differs = decision.verdict === headless.verdict ? "" : `; in a run with -p: ${headless.verdict}`
  const lines = sandbox === undefined ? [] : foreseenLines(sandbox)
  return `${decisionText(decision)}${lines.map((line) => `${line}\n`).join("")}approval mode ${view.mode}, ${view.config.trust.trust} folder${differs}\n`
}
