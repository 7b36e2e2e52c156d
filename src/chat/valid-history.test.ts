/**
 * Whatever happens in a conversation (text, calls, faults, cancellations, compressions, in any order), each request that is
 * sent is one that the API accepts.
 */
import { expect, test } from "bun:test"
import { Effect, Fiber, FastCheck as fc, TestClock, TestContext } from "effect"
import { broken, chatRoom, chunk, partsChunk, type Reply, send } from "../../test/kit/chat-room.ts"
import { violationOf } from "../../test/kit/history-rules.ts"
import type { Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { ModelError } from "../retry/model-error.ts"

const anyText = fc.constantFrom("", "Hello.", "\u200b", "a longer piece of text ", "```\ncode\n```")
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  anyText.map((text): Part => ({ text })),
  fc.constant<Part>({ text: "**Thinking** hard", thought: true }),
  fc.constant<Part>({}),
  fc.constant<Part>({ text: "", thoughtSignature: "signed" }),
  fc
    .record({
      name: fc.constantFrom("ls", "read_file", " ", "hang"),
      id: fc.constantFrom(undefined, "", "1", "2"),
      args: fc.record({ at: fc.nat(5) }),
      signature: fc.constantFrom(undefined, "signed")
    })
    .map(
      ({ args, id, name, signature }): Part => ({
        functionCall: { name, args, ...(id === undefined ? {} : { id }) },
        ...(signature === undefined ? {} : { thoughtSignature: signature })
      })
    )
)
const finish = fc.constantFrom("STOP", "STOP", "STOP", "MAX_TOKENS", "SAFETY", "MALFORMED_FUNCTION_CALL", undefined)
/** Half of the answers say that the window is filling up, which makes the next turn compress. */
const tokens = fc.constantFrom(undefined, 10, 600_000, 700_000, 900_000)
const anyReply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 6, arbitrary: answerOf(fc.array(anyPart, { maxLength: 4 })) },
  { weight: 3, arbitrary: answerOf(fc.nat(50).map((at) => [{ functionCall: { name: "ls", args: { at } } }])) },
  { weight: 1, arbitrary: fc.constant<Reply>([broken("open")]) },
  { weight: 1, arbitrary: fc.constant<Reply>([chunk("half of it"), broken("body")]) },
  { weight: 1, arbitrary: fc.constant<Reply>(["never"]) },
  {
    weight: 1,
    arbitrary: fc.constant<Reply>(
      Array.from({ length: 20 }, () => chunk("the same words again and again, without any end, "))
    )
  }
)

function answerOf(parts: fc.Arbitrary<ReadonlyArray<Part>>): fc.Arbitrary<Reply> {
  return fc.tuple(parts, finish, tokens).map(([given, reason, prompt]) => [partsChunk(given, reason, prompt)])
}

const anyUtilityAnswer = fc.constantFrom(
  "<state_snapshot>short</state_snapshot>",
  "<state_snapshot>another</state_snapshot>",
  "",
  "fault",
  `<state_snapshot>${"long ".repeat(900_000)}</state_snapshot>`
)
const anyOutput = fc.constantFrom("ok", "", "x".repeat(10_000), "y".repeat(250_000))

const anySession = fc.record({
  prompts: fc.integer({ min: 1, max: 5 }),
  replies: fc.array(anyReply, { minLength: 1, maxLength: 25 }),
  utility: fc.array(anyUtilityAnswer, { minLength: 1, maxLength: 4 }),
  outputs: fc.array(anyOutput, { minLength: 1, maxLength: 4 })
})

const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const item = list[index % list.length]
  if (item === undefined) throw new Error("an empty list")
  return item
}

const play = (session: typeof anySession extends fc.Arbitrary<infer A> ? A : never) =>
  Effect.gen(function* () {
    let asked = 0
    let called = 0
    const room = chatRoom(
      {
        stream: (_, index) => session.replies[index] ?? [chunk("done", "STOP")],
        generate: () => {
          const answer = at(session.utility, asked++)
          return answer === "fault"
            ? Effect.fail(new ModelError({ kind: "unavailable", detail: "busy", phase: "open", errorType: "503" }))
            : Effect.succeed(chunk(answer, "STOP"))
        },
        tool: ({ name }) => (name === "hang" ? Effect.never : Effect.succeed({ output: at(session.outputs, called++) }))
      },
      { maxTurns: { session: undefined, prompt: { value: 15, source: "test" } } }
    )
    const events: Array<ProtocolEvent> = []
    const conversation = Effect.gen(function* () {
      for (let prompt = 0; prompt < session.prompts; prompt++) {
        const fiber = yield* Effect.fork(Effect.either(send(`prompt ${prompt}`, events)))
        yield* TestClock.adjust("30 minutes")
        // Whatever still waits by now waits for ever: the person cancels.
        yield* Fiber.interrupt(fiber)
      }
    })
    yield* Effect.provide(conversation, room.layer)
    return { ...room, events }
  })

test("every request is one that the API accepts", async () => {
  let compressed = 0
  await fc.assert(
    fc.asyncProperty(anySession, async (session) => {
      const { events, questions, requests } = await Effect.runPromise(
        play(session).pipe(Effect.provide(TestContext.TestContext))
      )
      for (const request of requests) expect(violationOf(request, { signatures: true })).toBeUndefined()
      for (const question of questions) expect(violationOf(question)).toBeUndefined()
      compressed += events.filter((event) => event._tag === "ChatCompressed").length
    }),
    { numRuns: 100 }
  )
  // The property would say nothing if what it is about never happened.
  expect(compressed).toBeGreaterThan(10)
}, 60_000)
