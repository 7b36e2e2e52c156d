import { expect, test } from "bun:test"
import { CallId } from "../protocol/ids.ts"
import { type Answer, emptyAnswer } from "./answer.ts"
import { type AnswerFault, findFault, maxAttemptsFor } from "./turn.ts"

const answer = (fields: Partial<Answer>): Answer => ({ ...emptyAnswer, ...fields })
const calls = [{ callId: CallId.make("ls__1"), name: "ls", args: {} }]

const rows: ReadonlyArray<[string, Partial<Answer>, boolean, AnswerFault | undefined]> = [
  ["text and STOP", { text: "x", finishReason: "STOP" }, false, undefined],
  ["a call makes any answer valid", { calls, finishReason: "MALFORMED_FUNCTION_CALL" }, false, undefined],
  ["no finish reason", { text: "x" }, false, "NO_FINISH_REASON"],
  ["no finish reason after tools", { text: "x" }, true, undefined],
  ["malformed call", { text: "x", finishReason: "MALFORMED_FUNCTION_CALL" }, true, "MALFORMED_FUNCTION_CALL"],
  ["unexpected call", { finishReason: "UNEXPECTED_TOOL_CALL" }, false, "UNEXPECTED_TOOL_CALL"],
  ["cut text is usable", { text: "x", finishReason: "MAX_TOKENS" }, false, undefined],
  ["nothing before the cut", { finishReason: "MAX_TOKENS" }, false, "MAX_TOKENS_EXCEEDED"],
  ["safety", { finishReason: "SAFETY" }, true, "SAFETY_BLOCKED"],
  ["recitation", { finishReason: "RECITATION" }, false, "RECITATION_BLOCKED"],
  ["other", { finishReason: "OTHER" }, false, "OTHER_BLOCKED"],
  ["a prompt that was refused", { finishReason: "PROHIBITED_CONTENT" }, false, "OTHER_BLOCKED"],
  ["thoughts only", { sawThought: true, finishReason: "STOP" }, false, "THINKING_ONLY_RESPONSE"],
  ["empty", { finishReason: "STOP" }, false, "NO_RESPONSE_TEXT"],
  ["empty after tools is a normal end", { finishReason: "STOP" }, true, undefined],
  ["invisible characters are no text", { text: "\u200b\ufeff \n", finishReason: "STOP" }, false, "NO_RESPONSE_TEXT"],
  ["text beside a comment counts", { text: "a<!-- b -->", finishReason: "STOP" }, false, undefined],
  ["a comment alone is no text", { text: "<!-- a -->", finishReason: "STOP" }, false, "NO_RESPONSE_TEXT"]
]

for (const [name, fields, afterTools, expected] of rows) {
  test(name, () => expect(findFault(answer(fields), { afterTools })).toBe(expected))
}

test("an answer that a filter blocked is asked for once more only", () => {
  expect(maxAttemptsFor("SAFETY_BLOCKED", { finishReason: "SAFETY" })).toBe(2)
  expect(maxAttemptsFor("RECITATION_BLOCKED", { finishReason: "RECITATION" })).toBe(2)
  expect(maxAttemptsFor("OTHER_BLOCKED", { finishReason: "PROHIBITED_CONTENT" })).toBe(2)
  expect(maxAttemptsFor("OTHER_BLOCKED", { finishReason: "OTHER" })).toBe(4)
  expect(maxAttemptsFor("NO_RESPONSE_TEXT", { finishReason: "STOP" })).toBe(4)
})
