/** From measurements to the lines that a person reads and the document that a script reads. Pure. */
import type { Row } from "./bench-rows.ts"
import type { Measured, Measurement } from "./measure.ts"

export interface RowResult extends Row {
  /** Milliseconds or MiB; absent when it could not be measured. */
  readonly value: number | undefined
  readonly ratio: number | undefined
  readonly isWithin: boolean | undefined
}

export interface LoadedPath {
  readonly path: string
  readonly chunks: ReadonlyArray<{ readonly name: string; readonly bytes: number }>
  /** Of Effect's interpreter. */
  readonly steps: number
}

export const resultsOf = (rows: ReadonlyArray<Row>, measured: Measured): ReadonlyArray<RowResult> =>
  rows.map((row) => {
    const value = readingOf(measured.get(row.program), row.metric)
    const base = readingOf(measured.get(row.against), row.metric)
    const ratio = value === undefined || base === undefined ? undefined : value / base
    return {
      ...row,
      value,
      ratio,
      isWithin: ratio === undefined || row.budget === undefined ? undefined : ratio <= row.budget
    }
  })

export const tableOf = (results: ReadonlyArray<RowResult>): string =>
  aligned([
    ["path", "median", "ratio", "budget", "", "measured against"],
    ...results.map((result) => [
      result.label,
      withUnit(result.value, result.metric),
      ratioText(result.ratio),
      result.budget === undefined ? "" : `<= ${ratioText(result.budget)}`,
      verdictOf(result),
      result.against
    ])
  ])

/** Of rows that are over their budget or could not be measured: what is known of it. */
export const knownOf = (results: ReadonlyArray<RowResult>): string => {
  const lines = results.flatMap(({ against, isWithin, known, label, ratio }) =>
    known === undefined || (ratio !== undefined && isWithin !== false) ? [] : [`  ${label} (${against}): ${known}\n`]
  )
  return lines.length === 0 ? "" : `\nnot met, as far as it is known:\n${lines.join("")}`
}

export const loadedTable = (paths: ReadonlyArray<LoadedPath>): string =>
  aligned([
    ["path", "chunks", "loaded", "steps", "largest"],
    ...paths.map(({ chunks, path, steps }) => {
      const bySize = chunks.toSorted((a, b) => b.bytes - a.bytes)
      const total = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
      const largest = bySize.slice(0, 4).map((chunk) => `${chunk.name} ${kib(chunk.bytes)}`)
      return [path, String(chunks.length), kib(total), String(steps), largest.join(", ")]
    })
  ])

const readingOf = (measurement: Measurement | undefined, metric: Row["metric"]): number | undefined =>
  metric === "time" ? measurement?.ms : measurement?.peakMiB

const withUnit = (value: number | undefined, metric: Row["metric"]): string => {
  if (value === undefined) return "not measured"
  if (metric === "memory") return `${value.toFixed(1)} MiB`
  return value < 1 ? `${(value * 1000).toFixed(1)} µs` : `${value.toFixed(1)} ms`
}

/** Small ratios are read as fractions: `1/104`. */
const ratioText = (ratio: number | undefined): string => {
  if (ratio === undefined) return "-"
  return ratio < 0.5 ? `1/${(1 / ratio).toFixed(0)}` : `${ratio.toFixed(1)} x`
}

const verdictOf = ({ isWithin }: RowResult): string => (isWithin === undefined ? "" : isWithin ? "ok" : "OVER")

const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .map((line) => `${line}\n`)
    .join("")
}
