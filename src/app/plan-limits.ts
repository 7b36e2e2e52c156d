/** The limits of a run, each from its flag, else its variable, else its setting. Pure; a bad variable is named. */

import { Duration, Either, Option, ParseResult, Schema } from "effect"
import type { ProgramLimits, RunOptions } from "../cli/run-options.ts"
import { Count, Dollars, QuotaOption, Thinking, TIME_HINT } from "../cli/run-values.ts"
import { type UsageError, usageError } from "../cli/usage-error.ts"
import type { EnvironmentView } from "../config/environment.ts"
import type { SettingsView } from "../config/settings.ts"
import { durationFromText } from "../kernel/duration-text.ts"
import { nonBlank } from "../kernel/non-blank.ts"

export interface Limit<A> {
  readonly value: A
  /** The flag, variable or setting that set it. */
  readonly source: string
}

export interface RunLimits {
  readonly maxTurns: Limit<number> | undefined
  readonly maxTime: Limit<Duration.Duration> | undefined
  readonly maxToolCalls: Limit<number> | undefined
  readonly maxTokens: Limit<number> | undefined
  /** In US dollars. */
  readonly maxCost: Limit<number> | undefined
}

export interface LimitsInput {
  readonly options: RunOptions
  readonly settings: SettingsView
  readonly environment: EnvironmentView
}

export const limitsOf = (input: LimitsInput): Either.Either<RunLimits, UsageError> =>
  Either.gen(function* () {
    const { options, settings } = input
    return {
      maxTurns: yield* maxTurnsOf(input),
      maxTime: yield* maxTimeOf(input),
      maxToolCalls: nearest<number>(
        input,
        "maxToolCalls",
        [options.maxToolCalls, "--max-tool-calls"],
        [yield* variable(input, "GEMINI_MAX_TOOL_CALLS", Count), "GEMINI_MAX_TOOL_CALLS"],
        [settings.get("run.maxToolCalls"), "run.maxToolCalls"]
      ),
      maxTokens: nearest<number>(
        input,
        "maxTokens",
        [options.maxTokens, "--max-tokens"],
        [yield* variable(input, "GEMINI_MAX_TOKENS", Count), "GEMINI_MAX_TOKENS"],
        [settings.get("run.maxTokens"), "run.maxTokens"]
      ),
      maxCost: nearest<number>(
        input,
        "maxCost",
        [options.maxCost, "--max-cost"],
        [yield* variable(input, "GEMINI_MAX_COST", Dollars), "GEMINI_MAX_COST"],
        [settings.get("run.maxCost"), "run.maxCost"]
      )
    }
  })

/** What to do when a quota is used up. */
export const onQuotaOf = (input: LimitsInput): Either.Either<QuotaOption, UsageError> =>
  Either.gen(function* () {
    const { options, settings } = input
    if (options.onQuota !== undefined) return options.onQuota
    const fromVariable = yield* variable(input, "GEMINI_ON_QUOTA", QuotaOption)
    if (fromVariable !== undefined) return fromVariable
    const setting = settings.get("run.onQuota")
    // Nearly every run: nothing has to be read, and no schema compiled for it.
    return setting === "fail" ? FAIL : yield* decoded(setting, "run.onQuota", QuotaOption)
  })

/** How much the model thinks. */
export const thinkingOf = ({ options, settings }: LimitsInput): Either.Either<Thinking | undefined, UsageError> => {
  const setting = settings.get("run.thinking")
  if (options.thinking !== undefined || setting === undefined) return Either.right(options.thinking)
  return decoded(String(setting), "run.thinking", Thinking)
}

const FAIL: QuotaOption = { action: "fail" }

/** The nearer of the limit of this run and that of a session. */
const maxTurnsOf = (input: LimitsInput) =>
  Either.gen(function* () {
    const { options, settings } = input
    const session = settings.get("model.maxSessionTurns")
    const candidates = [
      nearest<number>(
        input,
        "maxTurns",
        [options.maxTurns, "--max-turns"],
        [yield* variable(input, "GEMINI_MAX_TURNS", Count), "GEMINI_MAX_TURNS"],
        [settings.get("run.maxTurns"), "run.maxTurns"]
      ),
      firstOf<number>([session >= 0 ? session : undefined, "model.maxSessionTurns"])
    ].filter((limit) => limit !== undefined)
    return candidates.sort((a, b) => a.value - b.value)[0]
  })

export const maxTimeOf = ({ environment, options, settings }: LimitsInput) =>
  Either.gen(function* () {
    const fromText = (text: string | undefined, source: string) => {
      const time = Option.fromNullable(nonBlank(text)).pipe(Option.map(durationFromText))
      if (Option.isNone(time)) return Either.right(undefined)
      return Either.fromOption(time.value, () => usageError(`${source} cannot be "${text}"`, TIME_HINT))
    }
    const setting = settings.get("run.maxTime")
    return nearest<Duration.Duration>(
      { options },
      "maxTime",
      [options.maxTime, "--max-time"],
      [yield* fromText(environment.get("GEMINI_MAX_TIME"), "GEMINI_MAX_TIME"), "GEMINI_MAX_TIME"],
      [yield* fromText(setting === undefined ? undefined : String(setting), "run.maxTime"), "run.maxTime"]
    )
  })

const variable = <A>({ environment }: LimitsInput, name: string, schema: Schema.Schema<A, string>) => {
  const text = nonBlank(environment.get(name))
  return text === undefined ? Either.right(undefined) : decoded(text, name, schema)
}

const decoded = <A>(text: string, source: string, schema: Schema.Schema<A, string>): Either.Either<A, UsageError> =>
  Either.mapLeft(Schema.decodeEither(schema)(text), (error) => {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    return usageError(`${source} cannot be "${text}"`, issue?.message)
  })

/** What the command line says, else what is near: a file that is run may lower what its caller allows. */
const nearest = <A extends number | Duration.Duration>(
  { options }: Pick<LimitsInput, "options">,
  name: keyof ProgramLimits,
  ...candidates: ReadonlyArray<readonly [A | undefined, string]>
): Limit<A> | undefined => {
  const allowed = firstOf(...candidates)
  const wish: A | undefined = options.program?.limits[name] as A | undefined
  if (options.program === undefined || wish === undefined || options[name] !== undefined) return allowed
  const isLower = allowed === undefined || sizeOf(wish) < sizeOf(allowed.value)
  return isLower ? { value: wish, source: options.program.shown } : allowed
}

const sizeOf = (value: number | Duration.Duration): number =>
  typeof value === "number" ? value : Duration.toMillis(value)

const firstOf = <A>(...candidates: ReadonlyArray<readonly [A | undefined, string]>): Limit<A> | undefined => {
  for (const [value, source] of candidates) if (value !== undefined) return { value, source }
  return undefined
}
