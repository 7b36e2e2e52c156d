/** A question at the terminal that is answered with yes or no. Anything but a clear yes is a no, the end of input too. */
import { Effect } from "effect"
import { questionedText } from "../kernel/visible-text.ts"

export const askTerminal = (question: string, write: (text: string) => Effect.Effect<void>): Effect.Effect<boolean> =>
  Effect.zipRight(
    write(`${questionedText(question)} [y/N] `),
    Effect.map(readLine, (line) => /^\s*y(es)?\s*$/i.test(line))
  )

/** The terminal delivers whole lines. */
const readLine = Effect.acquireUseRelease(
  Effect.sync(() => Bun.stdin.stream().getReader()),
  (reader) =>
    Effect.promise(() => reader.read()).pipe(
      Effect.map(({ value }) => (value === undefined ? "" : new TextDecoder().decode(value))),
      Effect.interruptible
    ),
  (reader) => Effect.sync(() => reader.releaseLock())
)
