/**
 * Standard error: diagnostics for people, one line each. A failure to write here is never an error of the run, and a
 * notice that was already given is not given again. Everything passes the cleaner here: names and messages of others
 * stand in these lines, and they end on a terminal sooner or later.
 */
import { Context, Effect, Layer } from "effect"
import { service } from "../kernel/layers.ts"
import { readableLine, readableText } from "../kernel/readable-text.ts"
import { redactionOf, type Secret } from "../kernel/redact-secrets.ts"
import { Notices } from "../protocol/notices.ts"
import { isTerminal } from "../system/terminal.ts"
import { byteSink } from "./byte-sink.ts"

export class Stderr extends Context.Tag("agent/output/Stderr")<
  Stderr,
  {
    readonly write: (text: string) => Effect.Effect<void>
    /** Writes a line, once in a run. */
    readonly notice: (line: string) => Effect.Effect<void>
    /** A line that does not stay: it takes the place of the unfinished one. Empty: the place is wiped. */
    readonly status: (line: string) => Effect.Effect<void>
    readonly isTerminal: boolean
    /** Writes that wait end now, and nothing is written any more. */
    readonly giveUp: Effect.Effect<void>
  }
>() {}

/** Each notice is given once. */
export const notices = service(
  Notices,
  Effect.map(Stderr, ({ notice, write }) => ({
    warn: (text: string) => notice(`[WARNING] ${text}`),
    info: (text: string) => notice(`[INFO] ${text}`),
    say: (line: string) => write(`${line}\n`)
  }))
)

const CLEAR_LINE = "\r\u001b[2K"

const over = (
  isATerminal: boolean,
  emit: (text: string) => Effect.Effect<void>,
  giveUp: Effect.Effect<void> = Effect.void,
  clean: (text: string) => string = (text) => text
) => {
  const given = new Set<string>()
  const write = (text: string) => emit(readableText(clean(text)))
  return Stderr.of({
    isTerminal: isATerminal,
    write,
    notice: (line) =>
      Effect.suspend(() => {
        if (given.has(line)) return Effect.void
        given.add(line)
        return write(`${line}\n`)
      }),
    status: (line) => emit(CLEAR_LINE + readableLine(line)),
    giveUp
  })
}

/** Diagnostics that belong on a screen which somebody else draws. */
export const layerOver = (writeText: (text: string) => Effect.Effect<void>) =>
  Layer.sync(Stderr, () => over(true, writeText))

/** Not a layer, like `Stdout.make`. `secrets` grow as they are found: messages of others may hold what they were told. */
export const make = (secrets: ReadonlyArray<Secret>): Stderr["Type"] => {
  const sink = byteSink(Bun.stderr)
  return over(
    isTerminal(2),
    (text) => Effect.ignore(Effect.tryPromise(() => sink.write(text))),
    Effect.sync(sink.giveUp),
    redactionOf(secrets)
  )
}

/** Errors, and nothing else. Documents and failures are written, notices only where they tell of an error. */
export const quiet = (stderr: Stderr["Type"]): Stderr["Type"] => ({
  ...stderr,
  notice: (line) => (/^(?:error:|\[ERROR\]|Error )/.test(line) ? stderr.notice(line) : Effect.void),
  status: () => Effect.void
})

/** For the log, which cannot wait, and for what is said when nothing else works any more. */
export const writeAtOnce = (text: string): void => {
  // A full disk or a reader that left is told as an event, and one that nobody heeds ends the program.
  if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => {})
  process.stderr.write(readableText(text))
}

/** Collects what is written: for tests. */
export const layerMemory = (written: Array<string>) =>
  Layer.sync(Stderr, () => over(false, (text) => Effect.sync(() => void written.push(text))))
