/** Hands on what a command prints as it comes. A reader that is slower than the command misses some, and is told so. */
import { Effect, Queue } from "effect"
import type { ShellCommand } from "../../shell/shell-command.ts"

/** Bytes that wait for the reader. */
const MAX_WAITING = 1024 * 1024

export const liveOutput = Effect.fnUntraced(function* (
  command: ShellCommand,
  onOutput: (text: string) => Effect.Effect<void>
) {
  const news = yield* Queue.sliding<void>(1)
  const decoder = new TextDecoder()
  let waiting: Array<Uint8Array> = []
  let size = 0
  let missed = 0
  yield* command.tee((bytes) => {
    if (bytes.length === 0) return
    if (size + bytes.length > MAX_WAITING) missed += bytes.length
    else {
      waiting.push(Uint8Array.from(bytes))
      size += bytes.length
    }
    news.unsafeOffer(undefined)
  })
  const flush = Effect.suspend(() => {
    const text = waiting.map((bytes) => decoder.decode(bytes, { stream: true })).join("")
    const note = missed === 0 ? "" : `\n[${missed} bytes not shown]\n`
    waiting = []
    size = 0
    missed = 0
    return text === "" && note === "" ? Effect.void : onOutput(text + note)
  })
  const follow = Effect.forever(Effect.zipRight(Queue.take(news), flush))
  return { follow, flush }
})
