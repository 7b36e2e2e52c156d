import { describe, expect, test } from "bun:test"
import { argumentCheck } from "./json-schema-check.live.ts"

describe("checking arguments of foreign tools", () => {
  test("newer drafts and formats", () => {
    const check = argumentCheck({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { at: { type: "string", format: "date" }, pair: { prefixItems: [{ type: "string" }] } }
    })
    expect(check({ at: "2024-01-02", pair: ["a"] })).toBeNull()
    expect(check({ at: "yesterday" })).toContain('params/at must match format "date"')
    expect(check({ pair: [1] })).toContain("params/pair/0 must be string")
  })

  test("a schema that makes no sense checks nothing", () => {
    expect(argumentCheck({ type: "nonsense" })({})).toBeNull()
    expect(argumentCheck({ $ref: "#/nowhere" })({})).toBeNull()
  })
})
