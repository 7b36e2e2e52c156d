/**
 * `json`: one document on standard output when the run has ended, whichever way. On failure the same document stands on
 * standard error too, where scripts written for the reference look for it.
 */
import { Effect, Layer, Ref } from "effect"
import { anyRequest } from "../chat/stats/run-stats.ts"
import { jsonText } from "../kernel/readable-text.ts"
import { stripAnsi } from "../kernel/sanitize.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { RunOutcome } from "../protocol/outcome.ts"
import { diagnosticLine } from "./diagnostics.ts"
import type { RunDocument } from "./run-documents.ts"
import { answerIn, emptySummary, errorDocument, extraFields, type RunSummary, summarize } from "./run-summary.ts"
import { RunWriter, type WriterOptions } from "./run-writer.ts"
import { SCHEMA_VERSION } from "./schema-version.ts"
import { jsonStats } from "./stats-document.ts"
import { Stderr } from "./stderr.ts"
import { Stdout } from "./stdout.ts"

export interface JsonWriterOptions extends Pick<WriterOptions, "sessionId"> {
  /** Both streams end on one screen, where the copy would only repeat the document. */
  readonly sharesScreen: boolean
}

export const layer = (options: JsonWriterOptions) =>
  Layer.effect(
    RunWriter,
    Effect.gen(function* () {
      const stdout = yield* Stdout
      const stderr = yield* Stderr
      const summary = yield* Ref.make(emptySummary)

      return RunWriter.of({
        onEvent: Effect.fnUntraced(function* (event: ProtocolEvent) {
          yield* Ref.update(summary, (before) => summarize(before, event))
          const line = diagnosticLine(event)
          if (line !== undefined) yield* stderr.notice(line)
        }),
        finish: Effect.fnUntraced(function* (outcome) {
          const text = render(options.sessionId, yield* Ref.get(summary), outcome)
          const copy = outcome.failure === undefined || options.sharesScreen ? Effect.void : stderr.write(text)
          yield* Effect.ensuring(stdout.write(text), copy)
        })
      })
    })
  )

const render = (sessionId: string, summary: RunSummary, outcome: RunOutcome): string => {
  const { failure } = outcome
  // A run that reached the model shows what it had, also when it failed: partial text, and what it cost.
  const reachedModel = failure === undefined || summary.isAsked || anyRequest(summary.stats)
  const document: RunDocument = {
    session_id: sessionId,
    response: reachedModel ? stripAnsi(answerIn(summary, outcome)) : undefined,
    stats: reachedModel ? jsonStats(summary.stats) : undefined,
    error: failure === undefined ? undefined : errorDocument(failure),
    warnings: summary.warnings.length === 0 ? undefined : summary.warnings.map(stripAnsi),
    full_response: reachedModel ? stripAnsi(allTurns(summary, outcome)) : undefined,
    ...extraFields(summary, outcome),
    trust: summary.trust,
    sandbox: summary.sandbox,
    schema_version: SCHEMA_VERSION
  }
  return `${jsonText(document, 2)}\n`
}

const allTurns = (summary: RunSummary, { failure }: RunOutcome): string =>
  [...summary.earlierTurns, summary.lastTurn || (failure === undefined ? "" : summary.dropped)]
    .filter((turn) => turn !== "")
    .join("\n")
