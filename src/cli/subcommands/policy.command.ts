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
import { Effect, Option } from "effect"
import type { Decision, PolicyCall } from "../../policy/decision.ts"
import { decisionJson, decisionText, exitCodeOf, rulesJson, rulesText } from "../../policy/explain.ts"
import { isActive } from "../../policy/matching.ts"
import { Policy } from "../../policy/policy.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, text } from "./common-options.ts"
import { type RunView, reportProblems, runFlags, viewRun } from "./run-view.ts"
import { callOf } from "./tested-call.ts"

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
    const inHeadless = yield* decide(call).pipe(
      Effect.tap(reportProblems),
      Effect.provide(view.policy({ isInteractive: false }))
    )
    const decision = options.headless
      ? inHeadless
      : yield* Effect.provide(decide(call), view.policy({ isInteractive: true }))
    const judged: Judged = { call, view, decision, headless: inHeadless }
    yield* context.write(options.json ? jsonDocument(judgedJson(judged)) : judgedText(judged))
    yield* exitWith(exitCodeOf(decision.verdict))
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
}

const judgedJson = ({ call, decision, headless, view }: Judged) => ({
  tool: call.name,
  args: call.args,
  cwd: view.config.environment.cwd,
  trust: view.config.trust.trust,
  mode: view.mode,
  ...decisionJson(decision),
  headless_verdict: headless.verdict
})

const judgedText = ({ decision, headless, view }: Judged): string => {
  const differs = decision.verdict === headless.verdict ? "" : `; in a run with -p: ${headless.verdict}`
  return `${decisionText(decision)}approval mode ${view.mode}, ${view.config.trust.trust} folder${differs}\n`
}
