/** The real standard input of a child process, in the shapes that shells give it. */
import { describe, expect, test } from "bun:test"
import { Duration, Effect, Fiber, Option, Queue, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { type ByteSource, collectInput, type StdinRequest } from "./stdin.ts"
import { TEXT_LIMIT_BYTES } from "./stdin-content.ts"

const reader = `${process.execPath} ${Bun.fileURLToPath(import.meta.resolve("./fixtures/read-stdin.ts"))}`

/** Runs a line of bash in which `READ` stands for the program that reads. */
const shell = async (line: string): Promise<unknown> => {
  const child = Bun.spawn(["bash", "-c", line.replaceAll("READ", reader)], {
    cwd: import.meta.dir,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit"
  })
  return JSON.parse(await new Response(child.stdout).text())
}

const plain = (text: string | number) => ({ text, truncated: false, notes: [] })
/** Descriptor 3 becomes a pipe whose producer says nothing. */
const SILENT = "exec 3< <(exec sleep 60);"
/** Descriptor 3 becomes a pipe that only the shell which starts the reader could write into. */
const LEFT_OPEN = "pipe=$(mktemp -u); mkfifo $pipe; exec 3<> $pipe; rm $pipe;"
const LIMIT = 8 * 1024 * 1024

test.each<[string, string, unknown]>([
  ["a pipe", "printf 'a\\nb\\n' | READ prompt", plain("a\nb\n")],
  ["a slow producer", "(sleep 0.7; echo late) | READ prompt", plain("late\n")],
  ["a slow producer that is the prompt", "(sleep 0.7; echo late) | READ none 0.1", plain("late\n")],
  ["a pause after the first byte", "(printf a; sleep 0.7; printf b) | READ prompt 0.3", plain("ab")],
  ["an empty pipe", ": | READ prompt", plain("")],
  ["/dev/null", "READ none < /dev/null", plain("")],
  ["closed", "READ none <&-", plain("")],
  ["a here document", "READ none <<< hello", plain("hello\n")],
  [
    "a file, from where the shell left off",
    "file=$(mktemp); printf '1\\n2\\n3\\n' > $file; (read -r first; READ none) < $file; rm $file",
    plain("2\n3\n")
  ],
  ["a folder", "READ none < .", { failed: "Standard input is a folder" }],
  ["write-only", "READ none 0> /dev/full", { failed: expect.stringContaining("Cannot read standard input") }],
  [
    "a pipe that was left open, beside a prompt",
    `${LEFT_OPEN} READ prompt 0.2 <&3`,
    {
      text: "",
      truncated: false,
      notes: ["Nothing came on standard input within 200ms: going on without it (--stdin-timeout)"]
    }
  ],
  [
    "the same, where a program stands between",
    `${LEFT_OPEN} (exec 4<&3 3>&-; READ prompt 0.2 <&4; true)`,
    { text: "", truncated: false, notes: [expect.stringContaining("going on without it")] }
  ],
  ["a silent producer beside a prompt", `${SILENT} READ prompt 0.2 '900 millis' <&3; kill $!`, "interrupted"],
  ["a producer that is slower than the limit", "(sleep 0.7; echo late) | READ prompt 0.2", plain("late\n")],
  ["a silent pipe whose reader is stopped", `${SILENT} READ none 10 '300 millis' <&3; kill $!`, "interrupted"],
  [
    "an endless producer",
    "yes | READ prompt",
    { text: LIMIT, truncated: true, notes: ["Standard input is longer than 8 MiB: what lies beyond was dropped"] }
  ],
  ["an endless device", "READ none < /dev/zero", { failed: expect.stringContaining("binary data") }]
])("%s", async (_, line, expected) => expect(await shell(line)).toEqual(expected))

const bytes = (text: string) => new TextEncoder().encode(text)
const END = Option.none<Uint8Array>()

/** A pipe whose writer is the test. */
const makePipe = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<Option.Option<Uint8Array>>()
  const source: ByteSource<never> = {
    next: Queue.take(queue),
    mayStaySilent: true,
    isDevice: false,
    producer: () => undefined
  }
  return {
    source,
    send: (text: string) => Queue.offer(queue, Option.some(bytes(text))),
    end: Queue.offer(queue, END)
  }
})

const setUp = Effect.fnUntraced(function* (
  options: Partial<StdinRequest & Pick<ByteSource<never>, "isDevice" | "producer">>
) {
  const said: Array<string> = []
  const pipe = yield* makePipe
  const reading = yield* Effect.fork(
    collectInput(
      { ...pipe.source, ...options },
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
      yield* TestClock.adjust("9100 millis")
      expect(yield* Fiber.join(reading)).toEqual({
        text: "",
        truncated: false,
        notes: ["Nothing came on standard input within 10s: going on without it (--stdin-timeout)"]
      })
    })
  )

  it.effect("a producer is named and waited for, however long; what it leaves behind is not", () =>
    Effect.gen(function* () {
      let producer: string | undefined = "make (process 7)"
      const { reading, said } = yield* setUp({ producer: () => producer })
      yield* TestClock.adjust("1 hour")
      expect(said).toEqual(["Waiting for standard input from make (process 7)"])
      expect(Option.isNone(yield* Fiber.poll(reading))).toBe(true)
      producer = undefined
      yield* TestClock.adjust("11 seconds")
      expect(yield* Fiber.join(reading)).toMatchObject({ text: "", notes: [expect.stringContaining("within 10s")] })
    })
  )

  it.effect("a byte that comes after the limit of a waiting producer is the first of its input", () =>
    Effect.gen(function* () {
      const { end, reading, send } = yield* setUp({ producer: () => "make" })
      yield* TestClock.adjust("25 seconds")
      yield* send("a")
      yield* send("b")
      yield* end
      expect(yield* Fiber.join(reading)).toMatchObject({ text: "ab" })
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
      yield* TestClock.adjust("11 seconds")
      expect(yield* Fiber.join(reading)).toMatchObject({ text: "" })
    })
  )
})

it.effect("an endless source is left at the limit", () =>
  Effect.gen(function* () {
    const chunk = bytes("x".repeat(65_536))
    const endless: ByteSource<never> = {
      next: Effect.succeedSome(chunk),
      mayStaySilent: true,
      isDevice: true,
      producer: () => undefined
    }
    const request = { promptGiven: true, timeout: Duration.seconds(10), notify: () => Effect.void }
    const { text, truncated } = yield* collectInput(endless, request)
    expect({ size: text.length, truncated }).toEqual({ size: TEXT_LIMIT_BYTES, truncated: true })
  })
)
