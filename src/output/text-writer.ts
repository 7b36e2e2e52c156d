/**
 * `text`: the model's words as they arrive, and nothing else on standard output. Each turn begins on a line of its own;
 * no blank lines are invented.
 */
import { Effect, Layer, Ref } from "effect"
import { makeReadableStream } from "../kernel/readable-text.ts"
import { makeSanitizer, rawSanitizer, type Sanitizer } from "../kernel/sanitize.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { denialAdvice, diagnosticLine } from "./diagnostics.ts"
import { estimateText } from "./estimate-text.ts"
import { failureLine, RunWriter, type WriterOptions } from "./run-writer.ts"
import { Stderr } from "./stderr.ts"
import { Stdout } from "./stdout.ts"

export const layer = (options: Pick<WriterOptions, "raw">) =>
  Layer.effect(
    RunWriter,
    Effect.gen(function* () {
      const stdout = yield* Stdout
      const stderr = yield* Stderr
      const sanitizer = sanitizerFor(stdout, options)
      const atLineStart = yield* Ref.make(true)

      const print = Effect.fnUntraced(function* (text: string) {
        if (text === "") return
        yield* stdout.writeUnchanged(text)
        yield* Ref.set(atLineStart, text.endsWith("\n"))
      })
      const endLine = Effect.fnUntraced(function* () {
        yield* print(sanitizer.end())
        if (!(yield* Ref.get(atLineStart))) yield* print("\n")
      })

      const onEvent = Effect.fnUntraced(function* (event: ProtocolEvent) {
        if (event._tag === "Text") return yield* print(sanitizer.push(event.text))
        if (event._tag === "RequestEstimated") return yield* stdout.write(estimateText(event))
        if (event._tag === "ToolRequested" || event._tag === "TurnRestarted") yield* endLine()
        const line = diagnosticLine(event)
        if (line !== undefined) yield* stderr.notice(line)
        const advice = denialAdvice(event)
        if (advice !== undefined) yield* stderr.notice(advice)
      })

      return RunWriter.of({
        onEvent,
        finish: Effect.fnUntraced(function* (outcome) {
          if (outcome.failure !== undefined) {
            // The reason must reach the person even when standard output cannot be written any more.
            yield* Effect.ensuring(endLine(), stderr.write(`${failureLine(outcome.failure)}\n`))
          } else yield* endLine()
        })
      })
    })
  )

/** A pipe gets a document: sequences go, as scripts expect, and every other character stays. */
const sanitizerFor = ({ isTerminal }: Stdout["Type"], { raw }: Pick<WriterOptions, "raw">): Sanitizer => {
  if (raw) return rawSanitizer
  return isTerminal ? makeReadableStream() : makeSanitizer()
}
