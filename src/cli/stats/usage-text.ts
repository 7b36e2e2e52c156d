/** The report for people: one block for each question, with bars where shares matter. Pure. */
import { visibleText } from "../../kernel/visible-text.ts"
import type { Totals, UsageReport } from "./usage-report.ts"

const BAR = 24
const MOST_FILES = 10

export const usageText = (report: UsageReport): string => {
  if (report.sessions === 0) return "Nothing was recorded in this project in that time.\n"
  return [overview(report), models(report), tools(report), files(report), days(report)]
    .filter((block) => block !== "")
    .join("\n")
}

const overview = (report: UsageReport): string =>
  lines([
    [
      "Sessions",
      `${grouped(report.sessions)} (${counted(report.prompts, "prompt")}, ${counted(report.requests, "request")})`
    ],
    [
      "Tokens",
      `${grouped(report.total)} (${grouped(report.input)} in, ${grouped(report.output)} out, ${grouped(report.thoughts)} thoughts)`
    ],
    ["Cached", `${percent(report.cached, report.input)} of the input`],
    [
      "Cost",
      `${dollars(report.costUsd)}${report.unpriced.length === 0 ? "" : `, without ${report.unpriced.join(", ")}`}`
    ]
  ])

const models = ({ models: all }: UsageReport): string =>
  block(
    "Models",
    Object.entries(all).toSorted(([, a], [, b]) => b.total - a.total),
    ([, { total }]) => total,
    ([name, totals]) => [name, `${counted(totals.requests, "request")}, ${tokensAndCost(totals)}`]
  )

const tools = ({ tools: all }: UsageReport): string =>
  block(
    "Tools",
    Object.entries(all).toSorted(([, a], [, b]) => b.calls - a.calls),
    ([, { calls }]) => calls,
    ([name, { calls, durationMs, succeeded }]) => [
      name,
      `${counted(calls, "call")}, ${percent(succeeded, calls)} succeeded, ${seconds(durationMs / calls)} each`
    ]
  )

const files = ({ files: all }: UsageReport): string => {
  const sorted = Object.entries(all).toSorted(([, a], [, b]) => b - a)
  const shown = block(
    "Files changed",
    sorted.slice(0, MOST_FILES),
    ([, changes]) => changes,
    ([file, changes]) => [file, counted(changes, "change")]
  )
  return sorted.length <= MOST_FILES ? shown : `${shown}  and ${sorted.length - MOST_FILES} more\n`
}

const days = ({ days: all }: UsageReport): string =>
  block(
    "Days",
    Object.entries(all),
    ([, { total }]) => total,
    ([day, totals]) => [day, `${counted(totals.prompts, "prompt")}, ${tokensAndCost(totals)}`]
  )

const tokensAndCost = ({ costUsd, total }: Totals): string => `${grouped(total)} tokens, ${dollars(costUsd)}`

const block = <A>(
  title: string,
  rows: ReadonlyArray<A>,
  sizeOf: (row: A) => number,
  wordsOf: (row: A) => readonly [name: string, words: string]
): string => {
  if (rows.length === 0) return ""
  const largest = Math.max(1, ...rows.map(sizeOf))
  const named = rows.map((row) => ({ bar: barOf(sizeOf(row) / largest), words: wordsOf(row) }))
  const width = Math.max(...named.map(({ words: [name] }) => visibleText(name).length))
  const text = named.map(({ bar, words: [name, words] }) => `  ${visibleText(name).padEnd(width)}  ${bar}  ${words}\n`)
  return `${title}\n${text.join("")}`
}

/** What is there at all shows. */
const barOf = (share: number): string => "█".repeat(Math.max(share > 0 ? 1 : 0, Math.round(share * BAR))).padEnd(BAR)

const lines = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.map(([name, value]) => `${name.padEnd(10)}${value}\n`).join("")

const counted = (count: number, thing: string): string => `${grouped(count)} ${thing}${count === 1 ? "" : "s"}`

const grouped = (value: number): string => value.toLocaleString("en-US")
const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : Math.round((100 * part) / whole)}%`
const dollars = (value: number): string => `$${value.toFixed(value < 1 ? 4 : 2)}`
const seconds = (millis: number): string => `${(millis / 1_000).toFixed(1)} s`
