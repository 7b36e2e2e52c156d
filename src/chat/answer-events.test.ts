/** What is told of an answer and in which order, and what its calls are called. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { ask, partsChunk } from "../../test/kit/chat-room.ts"
import { it } from "../../test/kit/it.ts"
import { userText } from "../protocol/content.ts"
import { parseThought } from "./answer.ts"
import { type NamedCall, nameCall, withApiIds } from "./call-id.ts"

describe("a thought", () => {
  test.each<[string, string, string]>([
    ["**Plan** first this", "Plan", "first this"],
    ["before ** Plan ** after", "Plan", "before  after"],
    ["**Plan**", "Plan", ""],
    ["**no end", "", "**no end"],
    [" no subject ", "", "no subject"],
    ["**a** b **c**", "a", "b **c**"]
  ])("%p", (text, subject, description) => expect(parseThought(text)).toEqual({ subject, description }))
})

describe("the id of a call", () => {
  const made = { now: 7, counter: 3 }
  const other = (name: string, callId: string) => ({ name, callId, args: {} }) as NamedCall
  test.each<[string, Parameters<typeof nameCall>[0], ReadonlyArray<NamedCall>, string]>([
    ["is the service's own, with the tool before it", { name: "ls", id: "a" }, [], "ls__a"],
    ["is left alone where the tool stands before it", { name: "ls", id: "ls__a" }, [], "ls__a"],
    ["is made where there is none", { name: "ls" }, [], "ls__ls_7_3"],
    ["is made where it is empty", { name: " ls ", id: "" }, [], "ls__ls_7_3"],
    ["belongs to a tool, even to one without a name", { name: " " }, [], "generic_tool__generic_tool_7_3"],
    ["is made where a call of this answer has it", { name: "ls", id: "a" }, [other("ls", "ls__a")], "ls__ls_7_3"],
    ["also where that one is of another tool", { name: "ls", id: "a" }, [other("glob", "glob__a")], "ls__ls_7_3"],
    ["is made where an earlier answer has it", { name: "ls", id: "old" }, [], "ls__ls_7_3"]
  ])("%s", (_, call, ofAnswer, id) => {
    const named = nameCall(call, made, { hasCall: (known) => known === "ls__old", ofAnswer })
    expect(String(named.callId)).toBe(id)
    const [part] = withApiIds({ role: "model", parts: [{ functionCall: { name: named.name, id } }] }).parts
    expect(`${named.name}__${part?.functionCall?.id}`).toBe(id)
  })

  test("means nothing in a text", () => expect(withApiIds(userText("ls__a"))).toEqual(userText("ls__a")))
})

it.effect("of one chunk: thoughts, text, calls, then sources, what it took, and the end", () =>
  Effect.gen(function* () {
    const citations = [
      { uri: "https://b" },
      { uri: "https://a", title: "A" },
      { title: "no address" },
      { uri: "https://b" }
    ]
    const [candidate] =
      partsChunk(
        [{ text: "said" }, { functionCall: { name: "ls", id: "1" } }, { text: "**Why** so", thought: true }],
        "STOP"
      ).candidates ?? []
    const first = { candidates: [{ ...candidate, citationMetadata: { citations } }], modelVersion: "m-1" }
    const { events } = yield* ask({
      stream: (_, index) => [index === 0 ? first : partsChunk([{ text: "done" }], "STOP")]
    })
    const told = events.slice(events.findIndex(({ _tag }) => _tag === "ModelChosen") + 1)
    expect(told.slice(0, 6)).toMatchObject([
      { _tag: "Thought", subject: "Why", description: "so" },
      { _tag: "Text", text: "said" },
      { _tag: "ToolRequested", callId: "ls__1" },
      { _tag: "Citation", text: "Citations:\n(A) https://a\nhttps://b" },
      { _tag: "RequestFinished", model: "m-1" },
      { _tag: "TurnFinished", reason: "STOP" }
    ])
  })
)
