import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import type { Content, Part } from "../protocol/content.ts"
import {
  curate,
  isFunctionResponse,
  mergeRoles,
  RequestBuilder,
  requestContents,
  SYNTHETIC_SIGNATURE
} from "./request-contents.ts"

const user = (...parts: ReadonlyArray<Part>): Content => ({ role: "user", parts })
const model = (...parts: ReadonlyArray<Part>): Content => ({ role: "model", parts })
const call = (id: string): Part => ({ functionCall: { id: `ls__${id}`, name: "ls", args: {} } })
const reply = (id: string): Part => ({ functionResponse: { id: `ls__${id}`, name: "ls", response: { output: "x" } } })

describe("curate", () => {
  test("drops a run of model messages that holds an empty text", () => {
    expect(curate([user({ text: "a" }), model({ text: "ok" }), model({ text: "" }), user({ text: "b" })])).toEqual([
      user({ text: "a" }),
      user({ text: "b" })
    ])
  })
  test("keeps an empty text that carries a signature", () => {
    const signed = model({ text: "", thoughtSignature: "s" })
    expect(curate([user({ text: "a" }), signed])).toEqual([user({ text: "a" }), signed])
  })
  test("removes thoughts, and messages that were only thoughts", () => {
    expect(
      curate([
        user({ text: "a" }),
        model({ thought: true, text: "hm" }),
        user({ text: "b" }),
        model({ text: "c" }, { thought: true, text: "x" })
      ])
    ).toEqual([user({ text: "a" }), user({ text: "b" }), model({ text: "c" })])
  })
})

test("ids go out without the tool's name", () => {
  const [, asked, answered] = requestContents([user({ text: "q" }), model(call("7")), user(reply("7"))])
  expect(asked?.parts[0]?.functionCall?.id).toBe("7")
  expect(answered?.parts[0]?.functionResponse?.id).toBe("7")
})

test("the first call of each model message of the turn under way is signed, earlier turns are not", () => {
  const sent = requestContents([
    user({ text: "old" }),
    model(call("1")),
    user(reply("1")),
    model({ text: "ok" }),
    user({ text: "new" }),
    model(call("2"), call("3")),
    user(reply("2"), reply("3")),
    model({ ...call("4"), thoughtSignature: "own" })
  ])
  expect(sent.flatMap((content) => content.parts.map((part) => part.thoughtSignature))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    SYNTHETIC_SIGNATURE,
    undefined,
    undefined,
    undefined,
    "own"
  ])
})

test("a call keeps a signature when its thoughts are taken away, also in an earlier turn", () => {
  const sent = requestContents([
    user({ text: "q" }),
    model({ thought: true, text: "hm", thoughtSignature: "own" }, call("1")),
    user(reply("1")),
    model({ text: "done" }),
    user({ text: "next" })
  ])
  expect(sent[1]?.parts).toEqual([
    { functionCall: { id: "1", name: "ls", args: {} }, thoughtSignature: SYNTHETIC_SIGNATURE }
  ])
})

const anyPart = fc.oneof(
  fc.string().map((text): Part => ({ text })),
  fc.string().map((text): Part => ({ text, thought: true })),
  fc.constantFrom("1", "2").map(call),
  fc.constant<Part>({})
)
const anyHistory = fc.array(
  fc.oneof(
    fc.string({ minLength: 1 }).map((text) => user({ text })),
    fc.constantFrom("1", "2").map((id) => user(reply(id))),
    fc.array(anyPart, { maxLength: 4 }).map((parts) => model(...parts))
  ),
  { maxLength: 30 }
)

test("roles always alternate and no message is empty", () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const sent = requestContents(history)
      for (const [index, content] of sent.entries()) {
        expect(content.parts.length).toBeGreaterThan(0)
        if (index > 0) expect(content.role).not.toBe(sent[index - 1]?.role)
      }
    })
  )
})

test("no user part is ever lost", () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const count = (contents: ReadonlyArray<Content>) =>
        contents.filter((content) => content.role === "user").flatMap((content) => content.parts).length
      expect(count(requestContents(history))).toBe(count(history))
      expect(requestContents(history).filter(isFunctionResponse).length > 0).toBe(history.some(isFunctionResponse))
    })
  )
})

test("merging is idempotent", () => {
  fc.assert(fc.property(anyHistory, (history) => expect(mergeRoles(mergeRoles(history))).toEqual(mergeRoles(history))))
})

describe("one request after the other", () => {
  test("comes to the same as each for itself, whatever is added, taken back or rewritten", () => {
    const anyChange = fc.oneof(
      { weight: 5, arbitrary: anyHistory.map((added) => ({ added })) },
      { weight: 1, arbitrary: fc.nat(10).map((dropped) => ({ dropped })) },
      { weight: 1, arbitrary: fc.nat(30).map((rewritten) => ({ rewritten })) }
    )
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 8 }), (changes) => {
        const builder = new RequestBuilder()
        let history: ReadonlyArray<Content> = []
        for (const change of changes) {
          if ("added" in change) history = [...history, ...change.added]
          else if ("dropped" in change) history = history.slice(0, Math.max(0, history.length - change.dropped))
          else history = history.map((content, at) => (at === change.rewritten ? user({ text: "other" }) : content))
          expect(builder.build(history)).toEqual(requestContents(history))
        }
      }),
      { numRuns: 2000 }
    )
  })

  test("messages that were sent before are the same objects, until a new question changes what is signed", () => {
    const builder = new RequestBuilder()
    const rounds = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => [
        model(call(`${from + index}`)),
        user(reply(`${from + index}`))
      ]).flat()
    const early = [user({ text: "q" }), ...rounds(0, 5)]
    const first = builder.build(early)
    const second = builder.build([...early, ...rounds(5, 9)])
    // The last message might still have grown.
    expect(second.slice(0, 10).every((content, index) => content === first[index])).toBe(true)
    expect(second).toHaveLength(19)
  })
})
