/** `/model`: which model answers, from the next prompt on. */

import { Effect } from "effect"
import { storeSetting } from "../../config/edit-settings.ts"
import { Settings } from "../../config/settings.ts"
import { Storage } from "../../config/storage.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { lazy } from "../../kernel/lazy.ts"
import { chainModels } from "../../model/model-names.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import { count, log, record } from "../../telemetry/signal.ts"
import { Telemetry } from "../../telemetry/telemetry.ts"
import { type CommandCandidate, type CommandResult, type Invocation, print, slash } from "../command.ts"
import { parseArguments } from "../command-arguments.ts"
import { failed, usageOf } from "../command-error.ts"
import { completeWord } from "../complete-line.ts"
import { SessionFacts } from "../session-facts.ts"

type Services = SelectedModel | Settings | Storage | SessionFacts

const ALIASES: ReadonlyArray<CommandCandidate> = [
  { value: "auto", hint: "chosen for each prompt" },
  { value: "pro", hint: "the strongest" },
  { value: "flash", hint: "fast" },
  { value: "flash-lite", hint: "fastest and cheapest" }
]

export type KnownModelServices = Settings | SessionFacts

/** Models by name: aliases, those that are known, and those that the settings name. */
export const knownModels = Effect.gen(function* () {
  const settings = yield* Settings
  const { access } = yield* SessionFacts
  const ids = [...new Set(Object.values(chainModels(access)))].toSorted()
  const { namedIn } = yield* lazy(() => import("../../model/model-tables.ts"))
  const own = namedIn(settings)
  const isOwn = new Set(own.map(({ value }) => value))
  const builtIn: ReadonlyArray<CommandCandidate> = [...ALIASES, ...ids.map((value) => ({ value }))]
  return [...builtIn.filter(({ value }) => !isOwn.has(value)), ...uniqueByValue(own)]
})

/** The first of each name: a model's own words say more than those of a table that leads to it. */
const uniqueByValue = (models: ReadonlyArray<CommandCandidate>): ReadonlyArray<CommandCandidate> =>
  models.filter(({ value }, index) => models.findIndex((other) => other.value === value) === index)

const choose = Effect.fnUntraced(function* ({ isInteractive }: Invocation) {
  const services = yield* Effect.context<Services>()
  const model = yield* SelectedModel
  const current = yield* model.get
  const models = yield* knownModels
  if (!isInteractive) return print(current, { model: current, models: models.map(({ value }) => value) })
  return {
    _tag: "Ask",
    question: {
      text: `The model is ${current}. Which one should answer from now on?`,
      choices: models.map(({ value, ...rest }) => ({ value, label: value, ...rest })),
      answer: (value) => Effect.provide(select(value, false), services)
    }
  } satisfies CommandResult as CommandResult
})

const set = Effect.fnUntraced(function* ({ args }: Invocation) {
  const given = parseArguments(args)
  if (given.words.length !== 1) return yield* usageOf("model set", "<name> [--persist]")
  return yield* select(given.text, given.has("persist"))
})

const select = Effect.fnUntraced(function* (name: string, isKept: boolean) {
  const model = yield* SelectedModel
  const { userSettingsFile } = yield* Storage
  yield* model.set(name)
  yield* record(yield* Telemetry, [
    log("gemini_cli.slash_command.model", `Model chosen: ${name}.`, { model_name: name }),
    ...count("gemini_cli.slash_command.model.call_count", { "slash_command.model.model_name": name })
  ])
  const doubt = yield* doubtOf(name)
  if (!isKept) return print(`The model is now ${name}.${doubt}`, { model: name })
  yield* storeSetting({ scope: "user", file: userSettingsFile }, { key: "model.name", inside: [] }, name).pipe(
    Effect.mapError(failed)
  )
  return print(`The model is now ${name}, also in later sessions (${userSettingsFile}).${doubt}`, { model: name })
})

/** Names come up faster than programs learn them, and a gateway has its own: an unknown one is used, and doubted. */
const doubtOf = Effect.fnUntraced(function* (name: string) {
  const { authType } = yield* SessionFacts
  const names = (yield* knownModels).map(({ value }) => value)
  if (authType === "gateway" || names.includes(name) || /^(?:gemini|gemma|auto-gemini)-|[/:]/.test(name)) return ""
  const meant = closestName(name, names)
  const advice = meant === undefined ? "/model lists some" : `did you mean ${meant}?`
  return `\nNo model that gemini knows has this name (${advice}). The next prompt fails if the service has none either.`
})

const complete = (typed: string) => Effect.map(knownModels, (models) => completeWord(typed, models))

export const model = slash<Services>({
  name: "model",
  description: "Choose the model that answers",
  usage: "[name]",
  run: (invocation) => (invocation.args === "" ? choose(invocation) : set(invocation)),
  complete,
  subcommands: [
    slash<Services>({ name: "manage", description: "Choose from a list", run: choose }),
    slash<Services>({
      name: "set",
      description: "Switch to a model; --persist keeps it for later sessions",
      usage: "<name> [--persist]",
      run: set,
      complete
    })
  ]
})
