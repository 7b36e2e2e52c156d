/**
 * Standard input, whatever it is: file, pipe, socket, device, or nothing. Never a reason to hang.
 *
 * Regular files are read through the file descriptor, because `Bun.stdin` starts at the beginning of the file instead of
 * where the shell left off (`while read line; do gemini ...; done < list`).
 */

import { fstatSync, readSync, type Stats } from "node:fs"
import { Effect, Option, type Scope } from "effect"
import { messageOf } from "../kernel/cause-message.ts"
import { otherWriterOf } from "../system/pipe-writer.ts"
import { isNullDevice, isTerminal } from "../system/terminal.ts"
import { type ByteSource, collectInput, type StdinRequest } from "./collect-input.ts"
import { InputError, type StdinContent } from "./stdin-content.ts"

/** A terminal counts as empty: reading a conversation from it is another room's business. */
export const readStdin: (request: StdinRequest) => Effect.Effect<StdinContent, InputError> = Effect.fn("Stdin.read")(
  function* (request: StdinRequest) {
    const source = yield* openStdin
    return yield* collectInput(source, request)
  },
  Effect.scoped
)

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
