/**
 * Standard error: diagnostics for people, one line each. A failure to write here is never an error of the run, and a
 * notice that was already given is not given again.
 */
import { Context, Effect, Layer } from "effect"
import { isTerminal } from "../kernel/terminal.ts"

export class Stderr extends Context.Tag("agent/output/Stderr")<
  Stderr,
  {
    /** Writes the text as it is. */
    readonly write: (text: string) => Effect.Effect<void>
    /** Writes a line, once in a run. */
    readonly notice: (line: string) => Effect.Effect<void>
    readonly isTerminal: boolean
  }
>() {}

const over = (isATerminal: boolean, writeText: (text: string) => Effect.Effect<void>) => {
  const given = new Set<string>()
  return Stderr.of({
    isTerminal: isATerminal,
    write: writeText,
    notice: (line) =>
      Effect.suspend(() => {
        if (given.has(line)) return Effect.void
        given.add(line)
        return writeText(`${line}\n`)
      })
  })
}

/** Diagnostics that belong on a screen which somebody else draws. */
export const layerOver = (writeText: (text: string) => Effect.Effect<void>) =>
  Layer.sync(Stderr, () => over(true, writeText))

/** Not a layer, like `Stdout.make`. */
export const make = (): Stderr["Type"] => {
  const sink = Bun.stderr.writer()
  return over(isTerminal(2), (text) =>
    Effect.ignore(
      Effect.tryPromise(async () => {
        await sink.write(text)
        await sink.flush()
      })
    )
  )
}

/** Collects what is written: for tests. */
export const layerMemory = (written: Array<string>) =>
  Layer.sync(Stderr, () => over(false, (text) => Effect.sync(() => void written.push(text))))
