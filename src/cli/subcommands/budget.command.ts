/** `gemini budget`: makes, shows and empties the budget that processes share through `GEMINI_BUDGET`. Nothing is sent. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, Effect, Option } from "effect"
import { type BudgetFileError, changeBudget, readBudget, writeBudget } from "../../model/budget/budget-file.ts"
import { type BudgetState, current, emptyState, inUnits, type SharedLimits } from "../../model/budget/budget-state.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { lstatOrNone } from "../../system/regular-file.ts"
import { CliContext } from "../cli-context.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError } from "../usage-error.ts"
import { print, printResult } from "./command-output.ts"
import { json, text } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const file = Args.text({ name: "file" })
const named = Args.optional(file)

const OPTIONS = {
  usd: text("usd", "DOLLARS", "What all requests together may cost."),
  tokens: text("tokens", "N", "Tokens that all requests together may take."),
  requests: text("requests", "N", "Requests that may be sent."),
  rpm: text("rpm", "N", "Requests within a minute; more of them wait."),
  tpm: text("tpm", "N", "Tokens within a minute; requests beyond that wait.")
}

/** The names of the limits in the file, by option. */
const LIMIT_NAMES = {
  usd: "usd",
  tokens: "tokens",
  requests: "requests",
  rpm: "requests_per_minute",
  tpm: "tokens_per_minute"
} as const satisfies Readonly<Record<keyof typeof OPTIONS, keyof SharedLimits>>

const force = Options.boolean("force").pipe(Options.withDescription("Replace what is there, with all that it counted."))

const init = Command.make("init", { ...OPTIONS, force, file }, ({ file: path, force, ...given }) =>
  Effect.gen(function* () {
    const { cwd } = yield* CliContext
    const limit = yield* limitsOf(given)
    const target = resolve(cwd, path)
    if (lstatOrNone(target)?.isSymbolicLink() === true) {
      return yield* refused(`${target} is a link`, "Name the file that it should be.")
    }
    if (!force && existsSync(target)) {
      return yield* refused(`${target} exists`, "Add --force to replace it; gemini budget reset keeps its limits.")
    }
    yield* writeBudget(target, emptyState(limit))
    yield* print(`Made ${target}. Processes share it with GEMINI_BUDGET=${target}\n`)
  })
).pipe(Command.withDescription("Make a budget. Names at least one limit."))

const limitsOf = Effect.fnUntraced(function* (given: Readonly<Record<keyof typeof OPTIONS, Option.Option<string>>>) {
  const limit: Partial<Record<keyof SharedLimits, number>> = {}
  for (const [option, name] of Object.entries(LIMIT_NAMES) as ReadonlyArray<
    [keyof typeof OPTIONS, keyof SharedLimits]
  >) {
    const value = Option.getOrUndefined(given[option])
    if (value === undefined) continue
    const isNumber = name === "usd" ? /^\d+(?:\.\d+)?$/ : /^\d+$/
    if (!isNumber.test(value) || Number(value) <= 0 || !Number.isFinite(Number(value))) {
      const kind = name === "usd" ? "an amount of dollars above 0, such as 2.50" : "a whole number above 0"
      return yield* refused(`--${option} ${value} is not ${kind}`, "See gemini budget --help.")
    }
    limit[name] = Number(value)
  }
  if (Object.keys(limit).length > 0) return limit
  return yield* refused("a budget needs a limit", "Add --usd, --tokens, --requests, --rpm or --tpm.")
})

const show = Command.make("show", { json, file: named }, (options) =>
  Effect.gen(function* () {
    const target = yield* budgetFile(options.file)
    const state = current(yield* Effect.mapError(readBudget(target), unusable), yield* Clock.currentTimeMillis)
    const { limit, reserved, used, window } = state
    yield* printResult(options, textOf(target, state), {
      file: target,
      limit,
      used,
      reserved: {
        requests: reserved.length,
        tokens: reserved.reduce((sum, { tokens }) => sum + tokens, 0),
        usd: reserved.reduce((sum, { usd }) => sum + usd, 0)
      },
      last_minute: { requests: window.length, tokens: window.reduce((sum, { tokens }) => sum + tokens, 0) }
    })
  })
).pipe(Command.withDescription("What is used of it, and what requests reserve at this moment."))

const reset = Command.make("reset", { file: named }, (options) =>
  Effect.gen(function* () {
    const target = yield* budgetFile(options.file)
    yield* changeBudget(target, ({ limit, reserved }) => [undefined, { ...emptyState(limit), reserved }]).pipe(
      Effect.catchTag("BudgetFileError", unusable)
    )
    yield* print(`Nothing is used of ${target} any more; its limits stay.\n`)
  })
).pipe(Command.withDescription("Begin anew with the same limits. Requests under way keep their reservations."))

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("budget").pipe(
    Command.withDescription("One budget for many processes: dollars, tokens, requests, rates."),
    Command.withSubcommands([init, show, reset])
  ),
  examples: [
    "gemini budget init team.json --usd 5 --requests 100 --rpm 60",
    "GEMINI_BUDGET=team.json gemini -p hello",
    "gemini budget show team.json --json"
  ]
})

const budgetFile = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const { cwd } = yield* CliContext
  if (Option.isSome(given)) return resolve(cwd, given.value)
  const { environment } = yield* loadSettings()
  const variable = environment.get("GEMINI_BUDGET") ?? ""
  if (variable !== "") return resolve(cwd, variable)
  return yield* refused("no budget is named", "Name its file, or set GEMINI_BUDGET.")
})

const unusable = ({ advice, message }: BudgetFileError): UsageError =>
  new UsageError({ message, hint: advice, exitCode: ExitCode.config })

const refused = (message: string, hint: string): UsageError =>
  new UsageError({ message, hint, exitCode: ExitCode.input })

const textOf = (target: string, { limit, reserved, used, window }: BudgetState): string => {
  const held = reserved.length === 0 ? "" : `, ${reserved.length} under way`
  const of = (what: string, all: string | undefined): string => (all === undefined ? what : `${what} of ${all}`)
  const rows = [
    ["Cost", of(inUnits("usd", used.usd), limit.usd === undefined ? undefined : inUnits("usd", limit.usd))],
    ["Tokens", of(grouped(used.tokens), limit.tokens === undefined ? undefined : grouped(limit.tokens))],
    [
      "Requests",
      `${of(grouped(used.requests), limit.requests === undefined ? undefined : grouped(limit.requests))}${held}`
    ],
    ...(limit.requests_per_minute === undefined
      ? []
      : [["Last minute", `${window.length} of ${grouped(limit.requests_per_minute)} requests`]]),
    ...(limit.tokens_per_minute === undefined
      ? []
      : [
          [
            "Last minute",
            `${grouped(window.reduce((sum, { tokens }) => sum + tokens, 0))} of ${grouped(limit.tokens_per_minute)} tokens`
          ]
        ])
  ]
  return [target, ...rows.map(([name = "", value = ""]) => `${name.padEnd(12)}${value}`)].join("\n")
}

const grouped = (count: number): string => count.toLocaleString("en-US")
