/** What a person is told that an answer would do. */
import { expect, test } from "bun:test"
import { consequenceOf } from "./consequence.ts"
import type { HookEvent } from "./hook-event.ts"
import type { HookOutput } from "./result.ts"

const NOTHING = "goes on as if there were no hook"

test.each<[HookEvent, HookOutput, string]>([
  ["BeforeTool", {}, NOTHING],
  ["BeforeTool", { decision: "deny", reason: "no" }, "refuses the call: no"],
  ["BeforeTool", { specific: { tool_input: { b: 2 } } }, 'calls it with {"a":1,"b":2}'],
  ["BeforeAgent", { continue: false, stopReason: "late" }, "ends the run and keeps the prompt: late"],
  ["AfterAgent", { decision: "deny", reason: "tests" }, "refuses the answer, and tells the model: tests"],
  ["BeforeToolSelection", { specific: { toolConfig: { mode: "NONE" } } }, 'chooses tools by {"mode":"NONE"}'],
  ["BeforeToolSelection", { specific: { toolConfig: { mode: "AUTO" } } }, NOTHING],
  ["BeforeToolSelection", { specific: { toolConfig: "NONE" } }, NOTHING],
  ["SessionEnd", { decision: "deny" }, "goes on: answers are not used at this event"]
])("%s, %j: %s", (event, output, told) => {
  expect(consequenceOf(event, output, { tool_input: { a: 1 } })).toBe(told)
})
