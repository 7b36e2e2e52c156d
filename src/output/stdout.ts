/**
 * Standard output as a service. Every byte is handed to the system before `write` succeeds, however slow the reader:
 * an exit right after the last write loses nothing.
 *
 * The writer of Bun is used rather than `fs.writeSync`, which writes short on a non-blocking pipe and blocks signals.
 * Both the result of `write` and that of `flush` are awaited: a full disk is reported by either.
 *
 * In a pipe or a file it is a document and stays as it is; on a terminal it is cleaned here, whatever it is.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { readableText } from "../kernel/readable-text.ts"
import { isTerminal } from "../system/terminal.ts"

export class OutputError extends Schema.TaggedError<OutputError>()("OutputError", {
  /** `closed`: the reader went away. `failed`: the bytes could not be stored. */
  kind: Schema.Literal("closed", "failed"),
  detail: Schema.String
}) {
  override get message() {
    return this.kind === "closed"
      ? "the reader of standard output went away"
      : `cannot write to standard output: ${this.detail}`
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
  }
>() {}

const over = (isATerminal: boolean, emit: Stdout["Type"]["writeUnchanged"]) =>
  Stdout.of({
    isTerminal: isATerminal,
    write: (text) => emit(isATerminal ? readableText(text) : text),
    writeUnchanged: emit
  })

/** Not a layer: it is made before there is anything to compose, and building layers costs at start-up. */
export const make = (): Stdout["Type"] => overSink(Bun.stdout.writer(), isTerminal(1))

const overSink = (sink: Bun.FileSink, isATerminal: boolean): Stdout["Type"] =>
  over(isATerminal, (text) =>
    text === ""
      ? Effect.void
      : Effect.tryPromise({
          try: async () => {
            await sink.write(text)
            await sink.flush()
          },
          catch: outputError
        })
  )

/** Another descriptor in the place of standard output. */
export const layerOverSink = (descriptor: number) =>
  Layer.sync(Stdout, () => overSink(Bun.file(descriptor).writer(), isTerminal(descriptor)))

/** Collects what is written: for tests. */
export const layerMemory = (written: Array<string>, options: { readonly isTerminal?: boolean } = {}) =>
  Layer.sync(Stdout, () => over(options.isTerminal ?? false, (text) => Effect.sync(() => void written.push(text))))

const outputError = (cause: unknown) => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return new OutputError({
    kind: code === "EPIPE" || code === "ECONNRESET" ? "closed" : "failed",
    detail: cause instanceof Error ? cause.message : String(cause)
  })
}
