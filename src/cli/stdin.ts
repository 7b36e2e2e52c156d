/**
 * Standard input, whatever it is: file, pipe, socket, device, or nothing. Never a reason to hang.
 *
 * Regular files are read through the file descriptor, because `Bun.stdin` starts at the beginning of the file instead of
 * where the shell left off (`while read line; do gemini ...; done < list`).
 */
import { fstatSync, readSync, type Stats } from "node:fs"
import { Duration, Effect, Fiber, Option, Ref, type Scope } from "effect"
import { messageOf } from "../kernel/cause-chain.ts"
import { otherWriterOf } from "../system/pipe-writer.ts"
import { isNullDevice, isTerminal } from "../system/terminal.ts"
import { contentLimit, InputError, type StdinContent, stdinContent } from "./stdin-content.ts"

/**
 * Gathers piped input within its bounds: a notice when it takes long, a limit for the first byte, a limit for the size.
 *
 * A pipe that was inherited by accident stays open and silent for ever; a slow producer is silent for a while. Hence
 * the limit counts only until the first byte, only where the run can do without the input and nobody but the program
 * that started us could still write, and it is always told.
 */
export interface ByteSource<E> {
  /** Bytes as they come; `none` at the end. */
  readonly next: Effect.Effect<Option.Option<Uint8Array>, E>
  /** Pipes, sockets and devices may be open without ever sending anything. */
  readonly mayStaySilent: boolean
  readonly isDevice: boolean
  /** Another program that may still write, by a name for people. Asked anew each time; `undefined`: none is known. */
  readonly producer: () => string | undefined
}

export interface StdinRequest {
  /** A prompt exists already, so the input may be missing. */
  readonly promptGiven: boolean
  /** For the first byte; infinite means no limit. */
  readonly timeout: Duration.Duration
  /** Told while waiting; the message is one line. */
  readonly notify: (message: string) => Effect.Effect<void>
}

const NOTICE_AFTER = Duration.seconds(1)
/** A producer that has just ended may have written last of all: its bytes are on their way. */
const IN_FLIGHT = Duration.millis(100)

export const collectInput = Effect.fn("Stdin.collect")(function* <E>(source: ByteSource<E>, request: StdinRequest) {
  const bytes = yield* gather(source, request)
  if (bytes !== undefined) return yield* stdinContent(bytes)
  return {
    text: "",
    truncated: false,
    notes: [nothingCame(request)]
  } satisfies StdinContent as StdinContent
})

const nothingCame = ({ timeout }: StdinRequest): string =>
  `Nothing came on standard input within ${Duration.format(timeout)}: going on without it (--stdin-timeout)`

/** `undefined`: nothing came in time. */
const gather = Effect.fnUntraced(function* <E>(source: ByteSource<E>, request: StdinRequest) {
  const received = yield* Ref.make(0)
  if (source.mayStaySilent) yield* Effect.forkScoped(noticeLater(source, received, request))
  const first = yield* firstChunk(source, request)
  if (Option.isNone(first)) return undefined
  const chunks: Array<Uint8Array> = []
  let size = 0
  let next = first.value
  while (Option.isSome(next)) {
    chunks.push(next.value)
    size += next.value.length
    yield* Ref.set(received, size)
    next = size > contentLimit(chunks) ? Option.none() : yield* source.next
  }
  return Buffer.concat(chunks)
}, Effect.scoped)

/** The outer `none`: nothing came in time. The inner one: the input ended without a byte. */
const firstChunk = <E>(
  source: ByteSource<E>,
  { promptGiven, timeout }: StdinRequest
): Effect.Effect<Option.Option<Option.Option<Uint8Array>>, E, Scope.Scope> => {
  const isBounded = source.mayStaySilent && (promptGiven || source.isDevice) && Duration.isFinite(timeout)
  if (!isBounded) return Effect.asSome(source.next)
  return Effect.gen(function* () {
    // One read for all rounds: a second one beside it would take the bytes of the first.
    const reading = yield* Effect.forkScoped(source.next)
    let wait = timeout
    for (;;) {
      const read = yield* Effect.timeoutOption(Fiber.await(reading), wait)
      if (Option.isSome(read)) return Option.some(yield* read.value)
      const isWaitedFor = source.producer() !== undefined
      if (!isWaitedFor && wait === IN_FLIGHT) return Option.none()
      wait = isWaitedFor ? timeout : IN_FLIGHT
    }
  })
}

const noticeLater = <E>(
  source: ByteSource<E>,
  received: Ref.Ref<number>,
  { notify, promptGiven, timeout }: StdinRequest
) =>
  Effect.gen(function* () {
    yield* Effect.sleep(NOTICE_AFTER)
    const size = yield* Ref.get(received)
    if (size > 0) return yield* notify(`Still reading standard input: ${size} bytes so far, waiting for its end`)
    const producer = source.producer()
    if (producer !== undefined) return yield* notify(`Waiting for standard input from ${producer}`)
    const until = promptGiven && Duration.isFinite(timeout) ? ` for at most ${Duration.format(timeout)}` : ""
    return yield* notify(`Waiting for standard input${until}; close it or add < /dev/null to go on without it`)
  })

/** A terminal counts as empty: reading a conversation from it is another room's business. */
export const readStdin: (request: StdinRequest) => Effect.Effect<StdinContent, InputError> = Effect.fn("Stdin.read")(
  function* (request: StdinRequest) {
    const source = yield* openStdin
    return yield* collectInput(source, request)
  },
  Effect.scoped
)

/** As they are, up to a bit more than what counts; empty where nothing came. */
export const readStdinBytes: (request: StdinRequest) => Effect.Effect<Uint8Array, InputError> = Effect.fn(
  "Stdin.readBytes"
)(function* (request: StdinRequest) {
  const bytes = yield* gather(yield* openStdin, request)
  if (bytes !== undefined) return bytes
  yield* request.notify(nothingCame(request))
  return new Uint8Array()
}, Effect.scoped)

const openStdin: Effect.Effect<ByteSource<InputError>, InputError, Scope.Scope> = Effect.suspend(() => {
  const stat = statusOfStdin()
  if (stat === undefined || isNullDevice(0) || isTerminal(0)) return Effect.succeed(emptySource)
  if (stat.isDirectory()) return new InputError({ kind: "directory", detail: "EISDIR" })
  return stat.isFile() ? Effect.succeed(fileSource) : streamSource(stat.isCharacterDevice())
})

/** `undefined`: closed. */
const statusOfStdin = (): Stats | undefined => {
  try {
    return fstatSync(0)
  } catch {
    return undefined
  }
}

const noProducer = () => undefined

const emptySource: ByteSource<never> = {
  next: Effect.succeedNone,
  mayStaySilent: false,
  isDevice: false,
  producer: noProducer
}

const FILE_CHUNK_BYTES = 1024 * 1024

const fileSource: ByteSource<InputError> = {
  mayStaySilent: false,
  isDevice: false,
  producer: noProducer,
  next: Effect.try({
    try: () => {
      const chunk = new Uint8Array(FILE_CHUNK_BYTES)
      const size = readSync(0, chunk)
      return size === 0 ? Option.none() : Option.some(chunk.subarray(0, size))
    },
    catch: unreadable
  })
}

/** Closing the scope gives up a read that is still waiting. */
const streamSource = (isDevice: boolean): Effect.Effect<ByteSource<InputError>, InputError, Scope.Scope> =>
  Effect.acquireRelease(Effect.try({ try: () => Bun.stdin.stream().getReader(), catch: unreadable }), (reader) =>
    Effect.ignore(Effect.tryPromise(() => reader.cancel()))
  ).pipe(
    Effect.map((reader) => ({
      mayStaySilent: true,
      isDevice,
      producer: () => {
        const writer = otherWriterOf(0)
        return writer === undefined ? undefined : `${writer.name} (process ${writer.pid})`
      },
      next: Effect.tryPromise({ try: () => reader.read(), catch: unreadable }).pipe(
        Effect.map(({ done, value }) => (done ? Option.none() : Option.some(value)))
      )
    }))
  )

function unreadable(cause: unknown): InputError {
  return new InputError({ kind: "unreadable", detail: messageOf(cause) })
}
