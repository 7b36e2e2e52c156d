import { describe, expect, test } from "bun:test"
import { Effect, FastCheck as fc, Layer, TestContext } from "effect"
import { chatRoom, chunk, send } from "../../test/kit/chat-room.ts"
import { violationOf } from "../../test/kit/history-rules.ts"
import { type Content, type Part, type Role, userText } from "../protocol/content.ts"
import { Chat } from "./chat.ts"
import { repairHistory } from "./repair-history.ts"

const model = (...parts: ReadonlyArray<Part>): Content => ({ role: "model", parts })
const user = (...parts: ReadonlyArray<Part>): Content => ({ role: "user", parts })
const call = (id: string | undefined, name = "ls"): Part => ({
  functionCall: { name, args: {}, ...(id === undefined ? {} : { id }) }
})
const response = (id: string | undefined, name = "ls", output = "ok"): Part => ({
  functionResponse: { name, response: { output }, ...(id === undefined ? {} : { id }) }
})
const lost = (id: string): Part => ({
  functionResponse: { id, name: "ls", response: { error: "The result of this call was lost." } }
})
const signature = { thoughtSignature: "skip_thought_signature_validator" }
const question = userText("go")

describe("a recorded conversation", () => {
  test("that is whole stays the very same", () => {
    const whole = [
      question,
      userText("and more"),
      model({ text: "look" }, call("1"), call("2", "cat")),
      user(response("1"), response("2", "cat"), { text: "note" }),
      model({ text: "done" })
    ]
    const repaired = repairHistory(whole)
    expect(repaired).toEqual(whole)
    for (const [index, content] of repaired.entries()) expect(content).toBe(whole[index] as Content)
  })

  test.each<[string, ReadonlyArray<Content>, ReadonlyArray<Content>]>([
    [
      "a call without a response gets one",
      [question, model(call("1"), call("2")), user(response("2")), model({ text: "done" })],
      [question, model(call("1"), call("2")), user(lost("1"), response("2")), model({ text: "done" })]
    ],
    [
      "also where the user spoke next",
      [question, model(call("1")), userText("stop"), model({ text: "done" })],
      [question, model(call("1")), user(lost("1"), { text: "stop" }), model({ text: "done" })]
    ],
    [
      "a response without a call gets one",
      [question, model({ text: "look" }), user(response("9")), model({ text: "done" })],
      [question, model({ text: "look" }, { ...call("9"), ...signature }), user(response("9")), model({ text: "done" })]
    ],
    [
      "also at the beginning",
      [user({ text: "go" }, response("9")), model({ text: "done" })],
      [question, model({ ...call("9"), ...signature }), user(response("9")), model({ text: "done" })]
    ],
    [
      "responses stand first, in the order of the calls",
      [question, model(call("1"), call("2")), user({ text: "note" }, response("2")), user(response("1"))],
      [question, model(call("1"), call("2")), user(response("1"), response("2"), { text: "note" })]
    ],
    [
      "one name per pair",
      [question, model(call("1", "cat")), user(response("1", "dog"))],
      [question, model(call("1", "cat")), user(response("1", "cat"))]
    ],
    [
      "parts that say nothing are left out",
      [
        question,
        model({}, { text: "" }, call("1")),
        model({ text: "", thought: true }),
        user({}, response("1")),
        model()
      ],
      [question, model(call("1")), user(response("1"))]
    ],
    ["calls at the end are left to the next prompt", [question, model(call("1"))], [question, model(call("1"))]]
  ])("%s", (_, contents, repaired) => expect(repairHistory(contents)).toEqual([...repaired]))

  test("ids that are missing are made, the same each time", () => {
    const contents = [question, model(call(undefined), call(undefined)), user(response(undefined), response(undefined))]
    const [, asked, answered] = repairHistory(contents)
    const ids = asked?.parts.map((part) => part.functionCall?.id) ?? []
    expect(ids).toEqual([expect.stringMatching(/^synth_ls_[0-9a-f]{32}$/), expect.stringMatching(/^synth_ls_/)])
    expect(new Set(ids).size).toBe(2)
    expect(answered?.parts.map((part) => part.functionResponse?.id)).toEqual(ids)
    expect(repairHistory(contents)).toEqual(repairHistory(contents))
    const [, orphaned] = repairHistory([question, model({ text: "look" }), user(response(undefined))])
    expect(orphaned?.parts[1]?.functionCall?.id).toMatch(/^synth_orph_ls_[0-9a-f]{32}$/)
  })
})

const anyId = fc.constantFrom(undefined, "1", "2", "ls__1")
const anyName = fc.constantFrom("ls", "cat")
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom<Part>({ text: "words" }, { text: "" }, {}, { text: "**Plan** it", thought: true }),
  fc.tuple(anyId, anyName).map(([id, name]) => call(id, name)),
  fc.tuple(anyId, anyName).map(([id, name]) => response(id, name))
)
/** Calls stand only in words of the model, responses only in those of the user; everything else may be wrong. */
const anyContent: fc.Arbitrary<Content> = fc
  .tuple(fc.constantFrom<Role>("user", "model"), fc.array(anyPart, { maxLength: 5 }))
  .map(([role, parts]) => ({
    role,
    parts: parts.filter((part) => (role === "user" ? part.functionCall : part.functionResponse) === undefined)
  }))

test("whatever was recorded, the next request is one that the API accepts", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyContent, { maxLength: 12 }), async (contents) => {
      const room = chatRoom({ stream: () => [chunk("done", "STOP")], context: "<session_context>" })
      await Effect.gen(function* () {
        const chat = yield* Chat
        yield* chat.replaceHistory(contents)
        yield* send("go on", [])
      }).pipe(Effect.provide(Layer.merge(room.layer, TestContext.TestContext)), Effect.runPromise)
      expect(room.requests).toHaveLength(1)
      for (const request of room.requests) expect(violationOf(request, { signatures: true })).toBeUndefined()
    }),
    { numRuns: 100 }
  )
})
