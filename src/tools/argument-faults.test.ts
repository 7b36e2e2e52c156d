import { expect, test } from "bun:test"
import { Either, Schema } from "effect"
import { argumentFaults } from "./argument-faults.ts"
import { builtinTools } from "./builtin-tools.ts"

const faultsOf = (schema: Schema.Schema.AnyNoContext, value: unknown): string =>
  Schema.decodeUnknownEither(schema, { errors: "all" })(value).pipe(
    Either.match({ onLeft: argumentFaults, onRight: () => "accepted" })
  )

const described = { description: "What a model reads of it." }
const Params = Schema.Struct({
  path: Schema.String.annotations(described),
  line: Schema.optional(Schema.Int.pipe(Schema.greaterThanOrEqualTo(1)).annotations(described)),
  kind: Schema.optional(Schema.Literal("a", "b").annotations(described)),
  all: Schema.optional(Schema.Boolean.annotations(described)),
  names: Schema.optional(Schema.Array(Schema.String).pipe(Schema.minItems(1)).annotations(described)),
  rows: Schema.optional(Schema.Array(Schema.Struct({ title: Schema.NonEmptyString })))
})

test.each([
  [{}, "params must have required property 'path'"],
  [{ path: 5 }, "params/path must be string"],
  [{ path: "x", line: 0 }, "params/line must be >= 1"],
  [{ path: "x", line: 1.5 }, "params/line must be integer"],
  [{ path: "x", line: "1" }, "params/line must be integer"],
  [{ path: "x", kind: "c" }, 'params/kind must be equal to one of the allowed values: "a", "b"'],
  [{ path: "x", all: "yes" }, "params/all must be boolean"],
  [{ path: "x", names: "a" }, "params/names must be array"],
  [{ path: "x", names: [] }, "params/names must NOT have fewer than 1 items"],
  [{ path: "x", rows: [{}] }, "params/rows/0 must have required property 'title'"],
  [{ path: "x", rows: [{ title: "" }] }, "params/rows/0/title must NOT have fewer than 1 characters"],
  [{ path: 1, all: 1 }, "params/path must be string, params/all must be boolean"],
  ["text", "params must be object"]
])("%j", (value, said) => {
  expect(faultsOf(Params, value)).toBe(said)
})

test("no tool tells its descriptions as faults, whatever is wrong", () => {
  const wrong = [null, true, 0, -1, 1.5, "", "word", [], [[]], [{}], {}]
  let seen = 0
  for (const { name, params } of builtinTools) {
    if (params === null) continue
    const fields = "fields" in params ? Object.keys(params.fields as object) : []
    for (const value of [...wrong, ...fields.flatMap((field) => wrong.map((one) => ({ [field]: one })))]) {
      const said = faultsOf(params, value)
      if (said === "accepted") continue
      seen++
      expect({ name, value, said }).toEqual({ name, value, said: expect.stringMatching(/^params/) })
      expect({ name, value, said }).toEqual({
        name,
        value,
        said: expect.not.stringMatching(/Expected|undefined|\. actual/)
      })
    }
  }
  expect(seen).toBeGreaterThan(200)
})
