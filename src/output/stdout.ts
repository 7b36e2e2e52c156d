/**
 * Standard output as a service. Every byte is handed to the system before `write` succeeds, however slow the reader:
 * an exit right after the last write loses nothing.
 *
 * The writer of Bun is used rather than `fs.writeSync`, which writes short on a non-blocking pipe and blocks signals.
 *
 * In a pipe or a file it is a document and stays as it is; on a terminal it is cleaned here, whatever it is.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { readableText } from "../kernel/readable-text.ts"
import { isMissing, isTerminal } from "../system/terminal.ts"
import { byteSink, Unread } from "./byte-sink.ts"

export class OutputError extends Schema.TaggedError<OutputError>()("OutputError", {
  /** `closed`: the reader went away. `unread`: it is there, and takes nothing. `failed`: the bytes could not be stored. */
  kind: Schema.Literal("closed", "unread", "failed"),
  detail: Schema.String,
  /** Absent: standard output. */
  place: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    const place = this.place ?? "standard output"
    if (this.kind === "closed") return `the reader of ${place} went away`
    return this.kind === "unread"
      ? `nobody reads ${place}: what was left of it is lost`
      : `cannot write to ${place}: ${this.detail}`
  }
}

export class Stdout extends Context.Tag("agent/output/Stdout")<
  Stdout,
  {
    readonly isTerminal: boolean
    /** Whole pieces of text: lists, documents. On a terminal nothing in them acts. */
    readonly write: (text: string) => Effect.Effect<void, OutputError>
    /**
     * Exactly this, also on a terminal: for text in pieces, which is cleaned as a stream, for what the screen of line mode
     * has cleaned and composed, and for what a person wants raw. `check:output` knows who may.
     */
    readonly writeUnchanged: (text: string) => Effect.Effect<void, OutputError>
    /** Writes that wait fail now, and so does whatever is still to come. */
    readonly giveUp: Effect.Effect<void>
  }
>() {}

const over = (isATerminal: boolean, emit: Stdout["Type"]["writeUnchanged"], giveUp: Effect.Effect<void>) =>
  Stdout.of({
    isTerminal: isATerminal,
    write: (text) => emit(isATerminal ? readableText(text) : text),
    writeUnchanged: emit,
    giveUp
  })

/** Not a layer: it is made before there is anything to compose, and building layers costs at start-up. */
export const make = (): Stdout["Type"] =>
  isMissing(1) ? over(false, () => NOWHERE, Effect.void) : overDescriptor(Bun.stdout, isTerminal(1))

/** Whoever closed it gets no answer, and is not told that there was one. */
const NOWHERE = Effect.fail(new OutputError({ kind: "failed", detail: "it is closed" }))

const overDescriptor = (file: Bun.BunFile, isATerminal: boolean): Stdout["Type"] => {
  const sink = byteSink(file)
  return over(
    isATerminal,
    (text) => (text === "" ? Effect.void : Effect.tryPromise({ try: () => sink.write(text), catch: outputError })),
    Effect.sync(sink.giveUp)
  )
}

/** Another descriptor in the place of standard output. */
export const layerOverSink = (descriptor: number) =>
  Layer.sync(Stdout, () => overDescriptor(Bun.file(descriptor), isTerminal(descriptor)))

/** Collects what is written: for tests. */
export const layerMemory = (written: Array<string>, options: { readonly isTerminal?: boolean } = {}) =>
  Layer.sync(Stdout, () =>
    over(options.isTerminal ?? false, (text) => Effect.sync(() => void written.push(text)), Effect.void)
  )

const outputError = (cause: unknown) => {
  if (cause instanceof Unread) return new OutputError({ kind: "unread", detail: "" })
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return new OutputError({
    kind: code === "EPIPE" || code === "ECONNRESET" ? "closed" : "failed",
    detail: cause instanceof Error ? cause.message : String(cause)
  })
}
