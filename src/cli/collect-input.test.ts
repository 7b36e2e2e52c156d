import { describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber, Option, Queue, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { type ByteSource, collectInput, INPUT_LIMIT_BYTES, type StdinRequest, toText } from "./collect-input.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const END = Option.none<Uint8Array>()

/** A pipe whose writer is the test. */
const makePipe = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<Option.Option<Uint8Array>>()
  const source: ByteSource<never> = { next: Queue.take(queue), mayStaySilent: true, isDevice: false }
  return {
    source,
    send: (text: string) => Queue.offer(queue, Option.some(bytes(text))),
    end: Queue.offer(queue, END)
  }
})

const setUp = Effect.fnUntraced(function* (options: Partial<StdinRequest & { isDevice: boolean }>) {
  const said: Array<string> = []
  const pipe = yield* makePipe
  const reading = yield* Effect.fork(
    collectInput(
      { ...pipe.source, isDevice: options.isDevice === true },
      {
        promptGiven: true,
        timeout: Duration.seconds(10),
        notify: (message) => Effect.sync(() => void said.push(message)),
        ...options
      }
    )
  )
  return { ...pipe, said, reading }
})

describe("with a prompt", () => {
  it.effect("input that comes at once is read to its end without a word", () =>
    Effect.gen(function* () {
      const { end, reading, said, send } = yield* setUp({})
      yield* send("a")
      yield* send("b\n")
      yield* end
      expect(yield* Fiber.join(reading)).toEqual({ text: "ab\n", truncated: false, notes: [] })
      yield* TestClock.adjust("5 seconds")
      expect(said).toEqual([])
    })
  )

  it.effect("a silent pipe is announced after a second and given up after the limit", () =>
    Effect.gen(function* () {
      const { reading, said } = yield* setUp({})
      yield* TestClock.adjust("999 millis")
      expect(said).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(said).toEqual([
        "Waiting for standard input for at most 10s; close it or add < /dev/null to go on without it"
      ])
      yield* TestClock.adjust("9 seconds")
      expect(yield* Fiber.join(reading)).toEqual({
        text: "",
        truncated: false,
        notes: ["Nothing came on standard input within 10s: going on without it (--stdin-timeout)"]
      })
    })
  )

  it.effect("after the first byte there is no limit until the end", () =>
    Effect.gen(function* () {
      const { end, reading, said, send } = yield* setUp({})
      yield* TestClock.adjust("500 millis")
      yield* send("slow")
      yield* TestClock.adjust("1 hour")
      expect(said).toEqual(["Still reading standard input: 4 bytes so far, waiting for its end"])
      yield* end
      expect(yield* Fiber.join(reading)).toMatchObject({ text: "slow" })
    })
  )

  it.effect("an infinite limit waits for ever", () =>
    Effect.gen(function* () {
      const { reading } = yield* setUp({ timeout: Duration.infinity })
      yield* TestClock.adjust("30 days")
      expect(Option.isNone(yield* Fiber.poll(reading))).toBe(true)
      yield* Fiber.interrupt(reading)
    })
  )
})

describe("without a prompt", () => {
  it.effect("the input is the prompt, so it is waited for, with a notice", () =>
    Effect.gen(function* () {
      const { end, reading, said, send } = yield* setUp({ promptGiven: false })
      yield* TestClock.adjust("1 hour")
      expect(said).toEqual(["Waiting for standard input; close it or add < /dev/null to go on without it"])
      yield* send("late")
      yield* end
      expect(yield* Fiber.join(reading)).toMatchObject({ text: "late" })
    })
  )

  it.effect("a silent device is given up", () =>
    Effect.gen(function* () {
      const { reading } = yield* setUp({ promptGiven: false, isDevice: true })
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(reading)).toMatchObject({ text: "" })
    })
  )
})

it.effect("an endless source is left at the limit", () =>
  Effect.gen(function* () {
    const chunk = bytes("x".repeat(65_536))
    const endless: ByteSource<never> = { next: Effect.succeedSome(chunk), mayStaySilent: true, isDevice: true }
    const request = { promptGiven: true, timeout: Duration.seconds(10), notify: () => Effect.void }
    const { text, truncated } = yield* collectInput(endless, request)
    expect({ size: text.length, truncated }).toEqual({ size: INPUT_LIMIT_BYTES, truncated: true })
  })
)

describe("text of bytes", () => {
  test.each<[string, Uint8Array, string, ReadonlyArray<string>]>([
    ["plain", bytes("grüße 🎉\n"), "grüße 🎉\n", []],
    ["with a byte order mark", Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), "a", []],
    [
      "in another encoding",
      Uint8Array.of(0x67, 0xfc, 0x6e),
      "g\ufffdn",
      ["Standard input is not valid UTF-8: unreadable bytes were replaced"]
    ],
    ["binary", Uint8Array.of(0x61, 0, 0x62), "a\0b", ["Standard input contains NUL bytes: it seems to be binary data"]]
  ])("%s", (_, input, text, notes) => expect(toText(input)).toEqual({ text, truncated: false, notes }))

  test.each([0, 1, 2, 3, 4])(
    "a character of four bytes that starts %d before the limit is kept whole or dropped",
    (before) => {
      const start = INPUT_LIMIT_BYTES - before
      const { text, notes, truncated } = toText(Buffer.concat([Buffer.alloc(start, "x"), bytes("🎉🎉")]))
      expect(truncated).toBe(true)
      expect(text.slice(start - 1)).toBe(before === 4 ? "x🎉" : "x")
      expect(notes).toEqual(["Standard input is longer than 8 MiB: what lies beyond was dropped"])
    }
  )

  test("exactly the limit is not too long", () => {
    expect(toText(Buffer.alloc(INPUT_LIMIT_BYTES, "x")).truncated).toBe(false)
  })
})
