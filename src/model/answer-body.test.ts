import { describe, expect } from "bun:test"
import { Effect, Either, Fiber, Option, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import * as Flow from "../kernel/flow.ts"
import { SilenceBudget, USUAL_SILENCE } from "../retry/silence-budget.ts"
import { makeBodyParser, readChunks } from "./answer-body.ts"

const event = (text: string) => `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }] })}\n\n`

/** A body that gets these pieces in turn, for ever, one every five seconds; and what became of its reader. */
const dripping = Effect.fnUntraced(function* (pieceAt: (index: number) => string, silence = new SilenceBudget()) {
  let send: (piece: string) => void = () => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (piece) => controller.enqueue(new TextEncoder().encode(piece))
    }
  })
  const framing = { parser: makeBodyParser, document: () => Either.right([]) }
  const options = { model: "m", silence: { budget: silence, limits: USUAL_SILENCE }, framing }
  const fiber = yield* Effect.fork(Effect.either(Flow.runDrain(readChunks(new Response(body), options))))
  for (let index = 0; index < 1_000; index++) {
    send(pieceAt(index))
    // The reader gets it by the clock of the machine.
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    const end = yield* Fiber.poll(fiber)
    if (Option.isSome(end)) return { seconds: index * 5, end: yield* Effect.flatten(end) }
    yield* TestClock.adjust("5 seconds")
  }
  return yield* Effect.die("it went on for ever")
})

describe("a body that never falls silent is given up", () => {
  const rows: ReadonlyArray<readonly [string, (index: number) => string, number, RegExp]> = [
    ["comments and nothing else", () => ": still here\n\n", 180, /did not begin to answer within 3m/],
    [
      "half an event, byte by byte",
      (index) => (index === 0 ? "data: " : "x"),
      180,
      /did not begin to answer within 3m/
    ],
    ["one event, then bytes", (index) => (index === 0 ? event("hi") : "x"), 300, /nothing whole came for 5m/],
    ["an event now and then", (index) => (index % 20 === 0 ? event("hi") : ":\n"), 1_800, /not complete within 30m/]
  ]
  for (const [name, pieceAt, seconds, words] of rows) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { end, seconds: after } = yield* dripping(pieceAt)
        expect([after >= seconds, after <= seconds + 15]).toEqual([true, true])
        expect(Either.isLeft(end) ? [end.left.kind, end.left.isRetryable] : end).toEqual(["silent", false])
        expect(Either.isLeft(end) ? end.left.detail : "").toMatch(words)
      })
    )
  }

  it.effect("and an earlier attempt counts", () =>
    Effect.gen(function* () {
      const budget = new SilenceBudget()
      budget.waited(150_000)
      expect((yield* dripping(() => ":\n\n", budget)).seconds).toBeLessThanOrEqual(45)
    })
  )
})
