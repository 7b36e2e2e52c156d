/**
 * Telemetry in a file, or on standard error: one indented JSON object after another, each beginning on a line of its
 * own, so that a reader may split the text at `}` newline `{` while it still grows.
 */
import { appendFile, mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect } from "effect"
import type { Exporter } from "./exporter.ts"
import { plainLog, plainMetrics, plainSpan } from "./plain-records.ts"

const METRIC_SECONDS = 10

export const fileExporter = (file: string): Effect.Effect<Exporter> =>
  Effect.map(Effect.cached(folderOf(file)), (folder) =>
    exporterOver(file, (text) =>
      Effect.zipRight(
        folder,
        Effect.tryPromise({ try: () => appendFile(file, text, { mode: 0o600 }), catch: reasonOf })
      )
    )
  )

export const consoleExporter = (write: (text: string) => Effect.Effect<void>): Exporter =>
  exporterOver("standard error", write)

const exporterOver = (name: string, write: (text: string) => Effect.Effect<void, string>): Exporter => {
  const writeAll = (records: ReadonlyArray<unknown>) =>
    write(records.map((record) => `${JSON.stringify(record, null, 2)}\n`).join(""))
  return {
    logs: (records) => writeAll(records.map(plainLog)),
    spans: (spans) => writeAll(spans.map(plainSpan)),
    metrics: (metrics) => writeAll([plainMetrics(metrics)]),
    metricSeconds: METRIC_SECONDS,
    name
  }
}

const folderOf = (file: string) =>
  Effect.asVoid(Effect.tryPromise({ try: () => mkdir(dirname(file), { recursive: true }), catch: reasonOf }))

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
