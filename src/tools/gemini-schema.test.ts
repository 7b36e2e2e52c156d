import { describe, expect, test } from "bun:test"
import { FastCheck as fc, Schema } from "effect"
import { fromJsonSchema, toGeminiParameters } from "./gemini-schema.ts"

const field = (schema: object) => fromJsonSchema({ type: "object", properties: { x: schema } }).properties

describe("parameters for a declaration", () => {
  test("of an own schema stand alone, with our descriptions", () => {
    const schema = Schema.Struct({
      path: Schema.NonEmptyString.annotations({ description: "Where." }),
      count: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 9)).annotations({ description: "How many." }), {
        exact: true
      }),
      kind: Schema.Literal("a", "b").annotations({ description: "Which." })
    })
    expect(toGeminiParameters(schema)).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "Where.", minLength: 1 },
        count: { type: "integer", description: "How many.", minimum: 1, maximum: 9 },
        kind: { type: "string", description: "Which.", enum: ["a", "b"] }
      },
      required: ["path", "kind"]
    })
  })

  test("of an empty struct are an empty object", () => {
    expect(toGeminiParameters(Schema.Struct({}))).toEqual({ type: "object", properties: {} })
  })

  test.each([
    ["a nullable branch", { anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
    ["a list of types", { type: ["integer", "null"], minimum: 1 }, { type: "integer", minimum: 1, nullable: true }],
    ["several types", { type: ["string", "number"] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
    ["oneOf", { oneOf: [{ type: "string" }, { type: "number" }] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
    ["const", { const: "a" }, { type: "string", enum: ["a"] }],
    [
      "an enum of numbers",
      { type: "integer", enum: [1, 2], description: "Level." },
      { type: "integer", description: "Level. One of: 1, 2." }
    ],
    [
      "a tuple",
      { type: "array", items: [{ type: "string" }, { type: "number" }] },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } }
    ],
    [
      "what the API does not know",
      { type: "string", title: "T", examples: ["a"], additionalProperties: false, $comment: "x" },
      { type: "string" }
    ],
    [
      "allOf",
      { allOf: [{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }], properties: { b: {} } },
      { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] }
    ],
    ["a reference to elsewhere", { $ref: "https://example.com/x.json", description: "d" }, { description: "d" }],
    ["a boolean schema", true as unknown as object, {}]
  ])("%s", (_, schema, expected) => expect(field(schema)).toEqual({ x: expected }))

  test("references are written out", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/Name", description: "mine" }, b: { $ref: "#/properties/a" } },
      $defs: { Name: { type: "string", description: "theirs" } }
    }
    expect(fromJsonSchema(schema)).toEqual({
      type: "object",
      properties: { a: { type: "string", description: "mine" }, b: { type: "string", description: "mine" } }
    })
  })

  test("a schema that contains itself ends", () => {
    const schema = {
      type: "object",
      properties: { next: { $ref: "#/$defs/Node" } },
      $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } }
    }
    expect(fromJsonSchema(schema)).toEqual({
      type: "object",
      properties: { next: { type: "object", properties: { next: { type: "object" } } } }
    })
  })

  test("references that multiply are cut off", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 20 }, (_, level) => [
        `L${level}`,
        { type: "object", properties: { a: { $ref: `#/$defs/L${level + 1}` }, b: { $ref: `#/$defs/L${level + 1}` } } }
      ])
    )
    const size = JSON.stringify(
      fromJsonSchema({ type: "object", properties: { x: { $ref: "#/$defs/L0" } }, $defs })
    ).length
    expect(size).toBeLessThan(200_000)
  })

  test("any JSON gives an object, and never throws", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("type", "anyOf", "items", "properties", "$ref", "enum", "allOf"), fc.jsonValue()),
        (schema) => {
          expect(fromJsonSchema(schema).type).toBe("object")
        }
      )
    )
  })
})
