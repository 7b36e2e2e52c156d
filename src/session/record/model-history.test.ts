import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { Content } from "../../protocol/content.ts"
import { recordedContent } from "./message-content.ts"
import { forHistory, modelHistory } from "./model-history.ts"
import type { MessageRecord } from "./session-record.ts"

const user = (content: MessageRecord["content"], more: Partial<MessageRecord> = {}): MessageRecord => ({
  id: "u",
  type: "user",
  content,
  ...more
})
const gemini = (content: MessageRecord["content"], more: Partial<MessageRecord> = {}): MessageRecord => ({
  id: "g",
  type: "gemini",
  content,
  ...more
})
const model = (...parts: Content["parts"]): Content => ({ role: "model", parts })
const said = (...parts: Content["parts"]): Content => ({ role: "user", parts })
const call = { functionCall: { id: "c1", name: "ls", args: { dir: "." } } }
const response = { functionResponse: { id: "c1", name: "ls", response: { output: "a" } } }
const record = { id: "c1", name: "ls", args: { dir: "." }, status: "success" }

describe("what the model gets", () => {
  test.each<[string, ReadonlyArray<MessageRecord>, ReadonlyArray<Content>]>([
    ["questions and answers", [user("hi"), gemini("hello")], [said({ text: "hi" }), model({ text: "hello" })]],
    ["strings among the parts", [user(["a", { text: "b" }])], [said({ text: "a" }, { text: "b" })]],
    ["notes are for people", [user("hi"), { id: "i", type: "info", content: "note" }], [said({ text: "hi" })]],
    ["commands are not sent", [user("/help"), user("?"), user("hi")], [said({ text: "hi" })]],
    [
      "a path that was answered is",
      [user("/etc what"), gemini("x")],
      [said({ text: "/etc what" }), model({ text: "x" })]
    ],
    ["nor is what stood before the conversation", [user("<session_context>\nx"), user(" ")], []],
    [
      "an answer that was kept part by part is used as it is",
      [gemini([{ text: "x" }, call], { toolCalls: [{ ...record, result: [response] }] }), user([response])],
      [model({ text: "x" }, call), said(response)]
    ],
    [
      "otherwise it is put together again, with the results of its calls",
      [
        gemini("Looking.", {
          thoughts: [{ subject: "S", description: "d" }],
          toolCalls: [{ ...record, result: [response] }]
        }),
        gemini("Done.")
      ],
      [model({ text: "**S** d", thought: true }, { text: "Looking." }, call), said(response), model({ text: "Done." })]
    ],
    [
      "results that stand in a message of their own are not sent twice",
      [gemini("", { toolCalls: [{ ...record, result: [response] }] }), user([response])],
      [model(call), said(response)]
    ],
    ["a call that never ended stays open", [gemini("", { toolCalls: [{ ...record, result: null }] })], [model(call)]],
    [
      "a question that a failure took back is gone",
      [user("hi", { id: "1" }), { id: "e", type: "error", content: "500", retracts: "1" }, user("again", { id: "2" })],
      [said({ text: "again" })]
    ]
  ])("%s", (_, messages, expected) => {
    expect(modelHistory(messages)).toEqual([...expected])
    expect(modelHistory(messages.map(forHistory))).toEqual([...expected])
  })
})

test("what is recorded comes back as it was", () => {
  const text = fc.string().map((value) => ({ text: `x${value}` }))
  const part = fc.oneof(
    text,
    fc.constant(call),
    fc.constant({ ...call, thoughtSignature: "s" }),
    text.map((one) => ({ ...one, thoughtSignature: "t" }))
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const content: Content = model(...parts)
      expect(modelHistory([gemini(recordedContent(content))])).toEqual([content])
    })
  )
})
