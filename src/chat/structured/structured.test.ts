import { describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, FastCheck } from "effect"
import { it } from "../../../test/kit/it.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { loadContract } from "./load-contract.ts"
import { jsonCandidates, judge, makeReview, withoutText } from "./output-contract.ts"

describe("the JSON in an answer", () => {
  test.each<[string, ReadonlyArray<unknown>]>([
    ['{"a":1}', [{ a: 1 }]],
    ["  \n[1, 2]\n", [[1, 2]]],
    ['"text"', ["text"]],
    ['```json\n{"a":1}\n```', [{ a: 1 }]],
    ['```\n{"a":1}\n```', [{ a: 1 }]],
    ['Here it is:\n```json\n{"a":1}\n```\nDone.', [{ a: 1 }]],
    ["```json\n1\n```\nor\n```json\n2\n```", [2, 1]],
    ["I could not do it.", []],
    ["", []],
    ['{"a":1} trailing', []]
  ])("%j", (answer, values) => expect(jsonCandidates(answer).map(({ value }) => value)).toEqual([...values]))

  test("whatever JSON the answer is, it is found as it was written", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.json(), (text) => {
        expect(jsonCandidates(text)[0]?.value).toEqual(JSON.parse(text))
        expect(jsonCandidates(`Well:\n\`\`\`json\n${text}\n\`\`\``)[0]?.value).toEqual(JSON.parse(text))
      })
    )
  })
})

const wantsNumber = { faultOf: (value: unknown) => (typeof value === "number" ? null : "must be number") }

test.each([
  ["1", { _tag: "Fits", value: 1, text: "1" }],
  ["```json\n1\n```", { _tag: "Fits", value: 1, text: "1" }],
  ['"1"', { _tag: "Fails", fault: "must be number" }],
  ["one", { _tag: "Fails", fault: "it is not JSON" }],
  ["", { _tag: "Fails", fault: "it is empty" }]
])("%j is judged %j", (text, verdict) => expect<unknown>(judge(text, wantsNumber)).toEqual(verdict))

const review = (answers: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const events: Array<ProtocolEvent> = []
    const emit = (event: ProtocolEvent) => Effect.sync(() => void events.push(event))
    const judged = yield* makeReview({ schema: "{}", instruction: "", ...wantsNumber }, emit)
    const results = yield* Effect.either(Effect.forEach(answers, judged))
    return { events, results }
  })

it.effect("an answer that fits is shown, once", () =>
  Effect.gen(function* () {
    const { events, results } = yield* review(["```json\n7\n```"])
    expect(results).toMatchObject({ right: [undefined] })
    expect(events).toEqual([
      { _tag: "Text", text: "7" },
      { _tag: "StructuredAnswer", value: 7 }
    ])
  })
)

it.effect("two repair turns, each told what is wrong", () =>
  Effect.gen(function* () {
    const { events, results } = yield* review(["no", '"no"', "7"])
    expect(results).toMatchObject({ right: [{ role: "user" }, { role: "user" }, undefined] })
    expect(JSON.stringify(results)).toContain("must be number")
    expect(events.map(({ _tag }) => _tag)).toEqual(["TurnRestarted", "TurnRestarted", "Text", "StructuredAnswer"])
  })
)

it.effect("the third answer that does not fit is the end; its text is kept", () =>
  Effect.gen(function* () {
    const { events, results } = yield* review(["a", "b", "c"])
    expect(results).toMatchObject({ left: { _tag: "SchemaMismatch", fault: "it is not JSON", repairs: 2 } })
    expect(events.at(-1)).toEqual({ _tag: "Text", text: "c" })
  })
)

it.effect("what is said on the way is not shown", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const emit = withoutText((event) => Effect.sync(() => void seen.push(event._tag)))
    yield* emit({ _tag: "Text", text: "let me see" })
    yield* emit({ _tag: "TurnFinished", reason: "STOP" })
    expect(seen).toEqual(["TurnFinished"])
  })
)

describe("loading the schema", () => {
  const folder = mkdtempSync(join(tmpdir(), "schema-"))
  writeFileSync(join(folder, "good.json"), '{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}')
  writeFileSync(join(folder, "list.json"), "[]")
  writeFileSync(join(folder, "broken.json"), "{")
  mkdirSync(join(folder, "folder"))

  it.live("from a file, relative to the working folder", () =>
    Effect.gen(function* () {
      const { faultOf, instruction } = yield* loadContract("good.json", folder)
      expect(faultOf({ a: 1 })).toBeNull()
      expect(faultOf({ a: "x" })).toBe("answer/a must be integer")
      expect(faultOf({})).toContain("required property 'a'")
      expect(instruction).toContain('"required":["a"]')
    })
  )
  it.live("from the command line", () =>
    Effect.gen(function* () {
      const { faultOf } = yield* loadContract(' {"type":"string"}', folder)
      expect([faultOf("x"), faultOf(1)]).toEqual([null, "answer must be string"])
    })
  )
  it.live("in the newest draft, where the schema says so", () =>
    Effect.gen(function* () {
      const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ type: "string" }] }
      const { faultOf } = yield* loadContract(JSON.stringify(schema), folder)
      expect(faultOf([1])).toBe("answer/0 must be string")
    })
  )
  for (const [given, words] of [
    ["missing.json", "does not exist"],
    ["", "is empty"],
    ["folder", "is a folder"],
    ["list.json", "is not a JSON object"],
    ["broken.json", "is not a JSON object"],
    ["{ not json", "is not a JSON object"],
    ['{"type":"nonsense"}', "is not a usable JSON Schema"],
    ['{"$ref":"https://example.invalid/x.json"}', "is not a usable JSON Schema"]
  ] as const) {
    it.live(`${given || "nothing"} is refused: it ${words}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(loadContract(given, folder))
        expect(error.message).toContain("--output-schema")
        expect(error.message).toContain(words)
      })
    )
  }
  test("clean up", () => rmSync(folder, { recursive: true }))
})
