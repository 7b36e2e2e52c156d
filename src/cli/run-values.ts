/** Kinds of option values, as schemas. The message of a refusal is the hint that the user reads. */
import { Duration, Option, ParseResult, Schema } from "effect"
import { durationFromText } from "../kernel/duration-text.ts"

export const TIME_HINT = "Write a time such as 500ms, 90s, 10m or 1h; a bare number is seconds."

const fromText = <A>(to: Schema.Schema<A>, hint: string, read: (typed: string) => Option.Option<A>) =>
  Schema.transformOrFail(Schema.String, to, {
    strict: true,
    decode: (typed, _, ast) =>
      Option.match(read(typed), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, typed, hint)),
        onSome: ParseResult.succeed
      }),
    encode: (value, _, ast) => ParseResult.fail(new ParseResult.Type(ast, value, "options are only read"))
  })

const decimal = (typed: string): Option.Option<number> =>
  /^\s*\d+(\.\d+)?\s*$/.test(typed) ? Option.some(Number(typed)) : Option.none()

export const Count = fromText(Schema.Number, "Write a whole number from 1 up.", (typed) =>
  Option.filter(decimal(typed), (value) => Number.isSafeInteger(value) && value > 0)
)

export const Dollars = fromText(Schema.Number, "Write an amount in US dollars above zero, such as 0.50.", (typed) =>
  Option.filter(decimal(typed), (value) => Number.isFinite(value) && value > 0)
)

export const Wait = fromText(Schema.DurationFromSelf, TIME_HINT, durationFromText)

export const TimeLimit = fromText(Schema.DurationFromSelf, `${TIME_HINT} It must be above zero.`, (typed) =>
  Option.filter(durationFromText(typed), Duration.greaterThan(Duration.zero))
)

/** How much a model is to think. */
export type Thinking = "off" | "low" | "medium" | "high" | number
const ThinkingValue: Schema.Schema<Thinking> = Schema.Union(
  Schema.Literal("off", "low", "medium", "high"),
  Schema.Number
)
export const Thinking = fromText<Thinking>(
  ThinkingValue,
  "Write off, low, medium, high or a whole number of tokens.",
  (typed) => {
    const word = typed.trim()
    if (word === "off" || word === "low" || word === "medium" || word === "high") return Option.some(word)
    return Option.filter(decimal(word), Number.isSafeInteger)
  }
)

/** What to do when a quota is used up. `fallback` without a model leaves the choice to the run. */
export interface QuotaOption {
  readonly action: "fail" | "wait" | "fallback"
  readonly model?: string
}
const OnQuotaValue: Schema.Schema<QuotaOption> = Schema.Struct({
  action: Schema.Literal("fail", "wait", "fallback"),
  model: Schema.optionalWith(Schema.String, { exact: true })
})
export const QuotaOption = fromText<QuotaOption>(
  OnQuotaValue,
  "Write fail, wait, fallback or fallback:MODEL.",
  (typed) => {
    const [, fallback] = /^fallback:(\S+)$/.exec(typed) ?? []
    if (fallback !== undefined) return Option.some({ action: "fallback", model: fallback })
    return typed === "fail" || typed === "wait" || typed === "fallback" ? Option.some({ action: typed }) : Option.none()
  }
)
