/**
 * Standard output as a service. Every byte is handed to the system before `write` succeeds, however slow the reader:
 * an exit right after the last write loses nothing.
 *
 * The writer of Bun is used rather than `fs.writeSync`, which writes short on a non-blocking pipe and blocks signals.
 * Both the result of `write` and that of `flush` are awaited: a full disk is reported by either.
 */
import { Context, Effect, Layer, Schema } from "effect"

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
    readonly write: (text: string) => Effect.Effect<void, OutputError>
  }
>() {}

/** Not a layer: it is made before there is anything to compose, and building layers costs at start-up. */
export const make = (): Stdout["Type"] => {
  const sink = Bun.stdout.writer()
  return {
    write: (text) =>
      text === ""
        ? Effect.void
        : Effect.tryPromise({
            try: async () => {
              await sink.write(text)
              await sink.flush()
            },
            catch: outputError
          })
  }
}

/** Collects what is written: for tests. */
export const layerMemory = (written: Array<string>) =>
  Layer.succeed(Stdout, { write: (text) => Effect.sync(() => void written.push(text)) })

const outputError = (cause: unknown) => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return new OutputError({
    kind: code === "EPIPE" || code === "ECONNRESET" ? "closed" : "failed",
    detail: cause instanceof Error ? cause.message : String(cause)
  })
}
