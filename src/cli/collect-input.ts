/**
 * Gathers piped input within its bounds: a notice when it takes long, a limit for the first byte, a limit for the size.
 *
 * A pipe that was inherited by accident stays open and silent for ever; a slow producer is silent for a while. Hence
 * the limit counts only until the first byte, only where the run can do without the input, and it is always told.
 */
import { isUtf8 } from "node:buffer"
import { Duration, Effect, Option, Ref } from "effect"

export interface ByteSource<E> {
  /** Bytes as they come; `none` at the end. */
  readonly next: Effect.Effect<Option.Option<Uint8Array>, E>
  /** Pipes, sockets and devices may be open without ever sending anything. */
  readonly mayStaySilent: boolean
  readonly isDevice: boolean
}

export interface StdinRequest {
  /** A prompt exists already, so the input may be missing. */
  readonly promptGiven: boolean
  /** For the first byte; infinite means no limit. */
  readonly timeout: Duration.Duration
  /** Told while waiting; the message is one line. */
  readonly notify: (message: string) => Effect.Effect<void>
}

export interface StdinText {
  readonly text: string
  readonly truncated: boolean
  /** What the user should know about the input, one line each. */
  readonly notes: ReadonlyArray<string>
}

export const INPUT_LIMIT_BYTES = 8 * 1024 * 1024

const NOTICE_AFTER = Duration.seconds(1)

const NOTHING: StdinText = { text: "", truncated: false, notes: [] }

export const collectInput = Effect.fn("Stdin.collect")(function* <E>(source: ByteSource<E>, request: StdinRequest) {
  const received = yield* Ref.make(0)
  if (source.mayStaySilent) yield* Effect.forkScoped(noticeLater(received, request))
  const first = yield* firstChunk(source, request)
  if (Option.isNone(first)) {
    const wait = Duration.format(request.timeout)
    return {
      ...NOTHING,
      notes: [`Nothing came on standard input within ${wait}: going on without it (--stdin-timeout)`]
    }
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  let next = first.value
  while (Option.isSome(next) && size <= INPUT_LIMIT_BYTES) {
    chunks.push(next.value)
    size += next.value.length
    yield* Ref.set(received, size)
    next = size > INPUT_LIMIT_BYTES ? Option.none() : yield* source.next
  }
  return toText(Buffer.concat(chunks))
}, Effect.scoped)

/** The outer `none`: nothing came in time. The inner one: the input ended without a byte. */
const firstChunk = <E>(
  source: ByteSource<E>,
  { promptGiven, timeout }: StdinRequest
): Effect.Effect<Option.Option<Option.Option<Uint8Array>>, E> => {
  const isBounded = source.mayStaySilent && (promptGiven || source.isDevice) && Duration.isFinite(timeout)
  return isBounded ? Effect.timeoutOption(source.next, timeout) : Effect.asSome(source.next)
}

const noticeLater = (received: Ref.Ref<number>, { notify, promptGiven, timeout }: StdinRequest) =>
  Effect.gen(function* () {
    yield* Effect.sleep(NOTICE_AFTER)
    const size = yield* Ref.get(received)
    if (size > 0) return yield* notify(`Still reading standard input: ${size} bytes so far, waiting for its end`)
    const until = promptGiven && Duration.isFinite(timeout) ? ` for at most ${Duration.format(timeout)}` : ""
    return yield* notify(`Waiting for standard input${until}; close it or add < /dev/null to go on without it`)
  })

/** Text of the bytes, cut to the limit at the border of a character. Bytes that are not text are replaced, and noted. */
export const toText = (bytes: Uint8Array): StdinText => {
  const truncated = bytes.length > INPUT_LIMIT_BYTES
  const kept = truncated ? bytes.subarray(0, characterBorder(bytes, INPUT_LIMIT_BYTES)) : bytes
  const text = new TextDecoder().decode(kept)
  const notes = [
    ...(truncated ? ["Standard input is longer than 8 MiB: what lies beyond was dropped"] : []),
    ...(isUtf8(kept) ? [] : ["Standard input is not valid UTF-8: unreadable bytes were replaced"]),
    ...(kept.includes(0) ? ["Standard input contains NUL bytes: it seems to be binary data"] : [])
  ]
  return { text, truncated, notes }
}

/** The last border at or before the index: bytes of the form 10xxxxxx continue a character, at most three of them. */
const characterBorder = (bytes: Uint8Array, index: number): number => {
  for (let border = index; border > index - 4; border--) if (((bytes[border] ?? 0) & 0xc0) !== 0x80) return border
  return index
}
