/**
 * Conversations of every kind, as the property tests and the soak of the loop play them: text, thoughts, calls with and
 * without ids and signatures, results of any size, faults, cancellations at any moment, compressions asked for and due,
 * and histories that were kept elsewhere and came back whole or damaged.
 */
import { type Duration, Effect, Fiber, FastCheck as fc, Option, TestClock } from "effect"
import { Chat } from "../../src/chat/chat.ts"
import * as Flow from "../../src/kernel/flow.ts"
import type { Content, Part } from "../../src/protocol/content.ts"
import type { ProtocolEvent } from "../../src/protocol/event.ts"
import { ModelError } from "../../src/retry/model-error.ts"
import { broken, chatOptions, chatRoom, chunk, partsChunk, type Reply } from "./chat-room.ts"

const anyText = fc.constantFrom("", "Hello.", "\u200b", "a longer piece of text ", "```\ncode\n```")
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  anyText.map((text): Part => ({ text })),
  fc.constant<Part>({ text: "**Thinking** hard", thought: true }),
  fc.constant<Part>({}),
  fc.constant<Part>({ text: "", thoughtSignature: "signed" }),
  fc
    .record({
      name: fc.constantFrom("ls", "read_file", " ", "hang", "slow", "film"),
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
/** Some answers say that the window is filling up, which makes the next turn compress. */
const tokens = fc.constantFrom(undefined, undefined, 10, 60_000, 90_000)

const answerOf = (parts: fc.Arbitrary<ReadonlyArray<Part>>): fc.Arbitrary<Reply> =>
  fc.tuple(parts, finish, tokens).map(([given, reason, prompt]) => [partsChunk(given, reason, prompt)])

const anyReply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 6, arbitrary: answerOf(fc.array(anyPart, { maxLength: 4 })) },
  { weight: 3, arbitrary: answerOf(fc.nat(50).map((at) => [{ functionCall: { name: "ls", args: { at } } }])) },
  { weight: 1, arbitrary: fc.constant<Reply>([broken("open")]) },
  { weight: 1, arbitrary: fc.constant<Reply>([chunk("half of it"), broken("body")]) },
  {
    weight: 1,
    arbitrary: fc.constant<Reply>([partsChunk([{ functionCall: { name: "ls", id: "1" } }]), broken("body")])
  },
  { weight: 1, arbitrary: fc.constant<Reply>(["never"]) },
  {
    weight: 1,
    arbitrary: fc.constant<Reply>(
      Array.from({ length: 20 }, () => chunk("the same words again and again, without any end, "))
    )
  }
)

const anyUtilityAnswer = fc.constantFrom(
  "<state_snapshot>short</state_snapshot>",
  "<state_snapshot>another</state_snapshot>",
  "",
  "fault",
  `<state_snapshot>${"long ".repeat(90_000)}</state_snapshot>`
)
const anyOutput = fc.constantFrom("ok", "", "x".repeat(4000), "y".repeat(25_000))

/** What is wrong with a history that comes back; places are shares of its length. */
const anyDamage = fc.oneof(
  fc.constant({ kind: "none" } as const),
  fc.record({ kind: fc.constant("lost" as const), at: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
  fc.record({ kind: fc.constant("cut" as const), at: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
  fc.record({ kind: fc.constant("nameless" as const), at: fc.double({ min: 0, max: 0.99, noNaN: true }) })
)
type Damage = typeof anyDamage extends fc.Arbitrary<infer A> ? A : never

const anyAct = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant("ask" as const),
      // Whoever waits for half an hour waits until nothing more comes.
      patience: fc.constantFrom<Duration.DurationInput>(
        "30 minutes",
        "30 minutes",
        "1 millis",
        "1500 millis",
        "6 seconds"
      )
    })
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("compress" as const), force: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("resume" as const), damage: anyDamage }) }
)

export const anyConversation = fc.record({
  acts: fc.array(anyAct, { minLength: 1, maxLength: 8 }),
  replies: fc.array(anyReply, { minLength: 1, maxLength: 25 }),
  utility: fc.array(anyUtilityAnswer, { minLength: 1, maxLength: 4 }),
  outputs: fc.array(anyOutput, { minLength: 1, maxLength: 4 })
})
export type AnyConversation = typeof anyConversation extends fc.Arbitrary<infer A> ? A : never

/** On the test clock. `requests` are those of the chat, `questions` those to utility models. */
export const playConversation = (session: AnyConversation, outputDir: string) =>
  Effect.gen(function* () {
    let asked = 0
    let called = 0
    let cancelled = 0
    let isLast = false
    const room = chatRoom(
      {
        stream: (_, index) => (isLast ? undefined : session.replies[index]) ?? [chunk("done", "STOP")],
        generate: () => {
          const answer = at(session.utility, asked++)
          return answer === "fault"
            ? Effect.fail(new ModelError({ kind: "unavailable", detail: "busy", phase: "open", errorType: "503" }))
            : Effect.succeed(chunk(answer, "STOP"))
        },
        countTokens: Effect.succeed(100),
        tool: ({ name }) => {
          if (name === "hang") return Effect.never
          const result = Effect.sync(() => ({ output: at(session.outputs, called++) }))
          return name === "slow" ? Effect.delay(result, "2 seconds") : result
        },
        media: ({ name }) => (name === "film" ? [{ inlineData: { mimeType: "video/mp4", data: "AAAA" } }] : [])
      },
      {
        room: {
          ...chatOptions.room,
          outputDir,
          // Small, so that short conversations meet what long ones do.
          compressionThreshold: 0.05,
          masking: { protectionThresholdTokens: 2000, minPrunableThresholdTokens: 1000, protectLatestTurn: true }
        },
        maxTurns: { session: undefined, prompt: { value: 15, source: "test" } }
      }
    )
    const events: Array<ProtocolEvent> = []
    const emit = (event: ProtocolEvent) => Effect.sync(() => void events.push(event))
    const conversation = Effect.gen(function* () {
      const chat = yield* Chat
      const asking = (text: string) => chat.send({ text, parts: [{ text }] })
      for (const [index, act] of session.acts.entries()) {
        if (act.act === "resume") {
          yield* chat.replaceHistory(damaged(copied(yield* chat.history), act.damage))
          continue
        }
        const work =
          act.act === "compress"
            ? chat.compress({ force: act.force, emit })
            : Flow.runForEach(asking(`prompt ${index}`), emit)
        const fiber = yield* Effect.fork(Effect.either(work))
        yield* TestClock.adjust(act.act === "ask" ? act.patience : "30 minutes")
        const exit = yield* Fiber.interrupt(fiber)
        if (exit._tag === "Failure") cancelled += 1
      }
      // Whatever came before, the conversation goes on.
      isLast = true
      const last = yield* Effect.fork(Effect.either(Flow.runForEach(asking("and now?"), emit)))
      // Results are written to real files, which the clock of the test does not wait for.
      while (Option.isNone(yield* Fiber.poll(last))) yield* TestClock.adjust("30 minutes")
    })
    yield* Effect.provide(conversation, room.layer)
    return { requests: room.requests, questions: room.questions, events, cancelled }
  })

const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const item = list[index % list.length]
  if (item === undefined) throw new Error("an empty list")
  return item
}

/** As it comes back from a file. */
const copied = (contents: ReadonlyArray<Content>): ReadonlyArray<Content> => JSON.parse(JSON.stringify(contents))

const damaged = (contents: ReadonlyArray<Content>, damage: Damage): ReadonlyArray<Content> => {
  if (damage.kind === "none") return contents
  const place = Math.floor(damage.at * contents.length)
  if (damage.kind === "lost") return contents.toSpliced(place, 1)
  if (damage.kind === "cut") return contents.slice(0, place)
  return contents.map((content, index) => (index < place ? content : { ...content, parts: content.parts.map(unnamed) }))
}

/** Older programs wrote no ids. */
const unnamed = (part: Part): Part => {
  if (part.functionCall !== undefined) return { ...part, functionCall: { ...part.functionCall, id: undefined } }
  return part.functionResponse === undefined
    ? part
    : { ...part, functionResponse: { ...part.functionResponse, id: undefined } }
}
