import { describe, expect, test } from "bun:test"
import { Duration, FastCheck, Option } from "effect"
import { delayInMessage, errorInfoOf, parseDelay, parseGoogleError, quotaIdsOf, retryDelayOf } from "./google-error.ts"

const inner = { error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED", details: [{ a: 1 }] } }
const plain = { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED", details: [{ a: 1 }] }
const nest = (value: unknown, levels: number): unknown =>
  levels === 0 ? value : { error: { code: 500, message: JSON.stringify(nest(value, levels - 1)) } }

const rows: ReadonlyArray<readonly [name: string, body: unknown, expected: unknown]> = [
  ["text of an error object", JSON.stringify(inner), plain],
  ["a parsed value", inner, plain],
  ["a list with one element", JSON.stringify([inner]), plain],
  ["an error without the envelope", JSON.stringify(inner.error), plain],
  ["text around the object", `got status: 429. ${JSON.stringify(inner)} (end)`, plain],
  ["repeated commas", JSON.stringify(inner).replace('","status"', '",, ,"status"'), plain],
  ["an error in the message of another", nest(inner, 1), plain],
  ["nine levels deep", nest(inner, 9), plain],
  [
    "a code only at the outer level",
    { error: { code: 503, message: '{"error":{"message":"inner"}}' } },
    { code: 503, message: "inner", status: undefined, details: [] }
  ],
  [
    "details only at the outer level",
    { error: { code: 503, message: '{"message":"inner"}', details: [{ b: 2 }] } },
    { code: 503, message: "inner", status: undefined, details: [{ b: 2 }] }
  ],
  [
    "a message that merely contains braces",
    { error: { code: 400, message: "unexpected {x}" } },
    { code: 400, message: "unexpected {x}", status: undefined, details: [] }
  ],
  ["no code", { error: { message: "x" } }, undefined],
  ["no message", { error: { code: 1 } }, undefined],
  ["HTML", "<html><body>nope</body></html>", undefined],
  ["an empty body", "", undefined],
  ["null", null, undefined],
  ["a number", "12", undefined]
]

describe("parseGoogleError", () => {
  for (const [name, body, expected] of rows) {
    test(name, () => expect(Option.getOrUndefined(parseGoogleError(body)) as unknown).toEqual(expected))
  }

  test("mends type keys with stray spaces", () => {
    const body = {
      error: {
        code: 429,
        message: "m",
        details: [{ " @type ": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2s" }]
      }
    }
    const delay = Option.flatMap(parseGoogleError(body), retryDelayOf)
    expect(Option.getOrThrow(delay)).toEqual(Duration.seconds(2))
  })

  test("never throws, whatever the text", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(FastCheck.string(), FastCheck.json()), (text) => {
        parseGoogleError(text)
        parseGoogleError({ error: { code: 1, message: text, details: [{ "@type": text }] } })
      })
    )
  })
})

test("details of a wrong shape are left out", () => {
  const error = Option.getOrThrow(
    parseGoogleError({
      error: {
        code: 429,
        message: "m",
        details: [
          "text",
          { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: "many" },
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: 7 }
        ]
      }
    })
  )
  expect(quotaIdsOf(error)).toEqual([])
  expect(Option.isNone(errorInfoOf(error))).toBe(true)
})

const delays: ReadonlyArray<readonly [string, number | undefined]> = [
  ["2s", 2000],
  ["0.5s", 500],
  ["34.074824224s", 34_075],
  ["250ms", 250],
  ["2m", undefined],
  ["s", undefined],
  ["", undefined]
]
for (const [text, millis] of delays) {
  test(`delay ${text}`, () =>
    expect(Option.getOrUndefined(Option.map(parseDelay(text), Duration.toMillis))).toBe(millis))
}

test("a delay named in a sentence", () => {
  expect(Option.getOrThrow(delayInMessage("Quota exceeded. Please retry in 12.5s."))).toEqual(Duration.millis(12_500))
  expect(Option.getOrThrow(delayInMessage("Retry in 900ms"))).toEqual(Duration.millis(900))
  expect(Option.isNone(delayInMessage("retry in a minute"))).toBe(true)
})
