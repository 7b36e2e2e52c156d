import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { aggregate } from "./fire.ts"
import { HOOK_EVENTS, type HookEvent } from "./hook-event.ts"
import type { HookDecision, HookOutput } from "./result.ts"

const DECIDING: ReadonlyArray<HookEvent> = ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart"]
const MODEL: ReadonlyArray<HookEvent> = ["BeforeModel", "AfterModel"]

const anyOutput: fc.Arbitrary<HookOutput> = fc.record(
  {
    continue: fc.boolean(),
    stopReason: fc.string(),
    systemMessage: fc.string(),
    decision: fc.constantFrom<HookDecision>("allow", "deny", "ask"),
    reason: fc.string(),
    specific: fc.dictionary(fc.constantFrom("additionalContext", "clearContext", "tool_input"), fc.jsonValue())
  },
  { requiredKeys: [] }
)

describe("in any order, of any hooks", () => {
  test("a refusal and a stop win", () => {
    fc.assert(
      fc.property(fc.constantFrom(...DECIDING, ...MODEL), fc.array(anyOutput), (event, outputs) => {
        const joined = aggregate(event, outputs)
        const has = (decision: string) => outputs.some((output) => output.decision === decision)
        expect(joined.decision === "deny").toBe(has("deny"))
        if (!has("deny")) expect(joined.decision === "ask").toBe(has("ask"))
        expect(joined.continue === false).toBe(outputs.some((output) => output.continue === false))
      })
    )
  })

  test("the order of hooks does not change what is decided", () => {
    fc.assert(
      fc.property(fc.constantFrom(...DECIDING, ...MODEL), fc.array(anyOutput), (event, outputs) => {
        const [one, other] = [aggregate(event, outputs), aggregate(event, outputs.toReversed())]
        expect([one.decision, one.continue === false]).toEqual([other.decision, other.continue === false])
      })
    )
  })

  test("one hook alone is taken at its word", () => {
    fc.assert(
      fc.property(fc.constantFrom(...DECIDING), anyOutput, (event, output) => {
        expect(aggregate(event, [output]).decision).toBe(output.decision)
      })
    )
  })
})

test("texts are joined in the order of the plan; reasons are those of who decided", () => {
  const outputs: ReadonlyArray<HookOutput> = [
    { decision: "allow", reason: "fine", systemMessage: "one", specific: { additionalContext: "a" } },
    { decision: "deny", reason: "no", systemMessage: "two", specific: { additionalContext: "b", clearContext: true } },
    { decision: "deny", reason: "never", specific: { clearContext: false } }
  ]
  expect(aggregate("BeforeTool", outputs)).toEqual({
    decision: "deny",
    reason: "no\nnever",
    systemMessage: "one\ntwo",
    specific: { additionalContext: "a\nb", clearContext: true }
  })
})

test("changes of several hooks lie over each other", () => {
  const joined = aggregate("BeforeTool", [
    { specific: { tool_input: { a: 1, b: 1 } } },
    { specific: { tool_input: { b: 2 } } }
  ])
  expect(joined.specific).toEqual({ tool_input: { a: 1, b: 2 } })
})

describe("the choice of tools", () => {
  const wish = (mode: string, ...names: ReadonlyArray<string>): HookOutput => ({
    specific: { toolConfig: { mode, allowedFunctionNames: names } }
  })
  const TABLE: ReadonlyArray<readonly [ReadonlyArray<HookOutput>, unknown]> = [
    [[], undefined],
    [[{ decision: "deny" }], undefined],
    [[wish("AUTO", "b", "a"), wish("AUTO", "a")], { mode: "AUTO", allowedFunctionNames: ["a", "b"] }],
    [[wish("ANY", "a"), wish("AUTO", "b")], { mode: "ANY", allowedFunctionNames: ["a", "b"] }],
    [[wish("ANY", "a"), wish("NONE")], { mode: "NONE", allowedFunctionNames: [] }]
  ]
  test.each(TABLE)("%j", (outputs, toolConfig) => {
    expect(aggregate("BeforeToolSelection", outputs).specific?.toolConfig).toEqual(toolConfig as never)
  })
})

test("no hook, no say", () => {
  for (const event of HOOK_EVENTS) expect(aggregate(event, [])).toEqual({})
})
