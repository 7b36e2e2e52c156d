/** What `gemini doctor` says: one line for each thing that it looked at. */
import { Effect } from "effect"
import { oneLine } from "../../../kernel/one-line.ts"

/** `fault`: a run would not start, or would not do what it is told. */
export type Health = "ok" | "warning" | "fault"

export interface HealthFinding {
  readonly check: string
  readonly status: Health
  readonly detail: string
  /** What to do; always there where something is wrong. */
  readonly advice?: string
}

/** Looks at one thing, and always comes to an end: what takes too long is said as such. */
export interface Check<R = never> {
  readonly group: string
  readonly name: string
  readonly look: Effect.Effect<ReadonlyArray<HealthFinding>, never, R>
}

export const ok = (check: string, detail: string): HealthFinding => ({ check, status: "ok", detail })

export const warning = (check: string, detail: string, advice: string): HealthFinding => ({
  check,
  status: "warning",
  detail,
  advice
})

export const fault = (check: string, detail: string, advice: string): HealthFinding => ({
  check,
  status: "fault",
  detail,
  advice
})

/** For what is told without waiting. */
export const check = (group: string, name: string, look: () => ReadonlyArray<HealthFinding>): Check => ({
  group,
  name,
  look: Effect.sync(look)
})

export interface GroupFindings {
  readonly group: string
  readonly findings: ReadonlyArray<HealthFinding>
}

const LINE_LENGTH = 600

/** By group, in words: so that a log, a screen reader and `grep` find them. */
export const findingsText = (groups: ReadonlyArray<GroupFindings>): string =>
  groups.map(({ findings, group }) => [group, ...findings.map(lineOf)].join("\n")).join("\n\n")

const lineOf = ({ advice, check: name, detail, status }: HealthFinding): string => {
  const line = `  ${status.padEnd(8)} ${name}: ${oneLine(detail, LINE_LENGTH)}`
  return advice === undefined ? line : `${line}\n           ${oneLine(advice, LINE_LENGTH)}`
}

export const summaryLine = (groups: ReadonlyArray<GroupFindings>): string => {
  const all = groups.flatMap(({ findings }) => findings)
  const count = (status: Health): number => all.filter((one) => one.status === status).length
  const [faults, warnings] = [count("fault"), count("warning")]
  if (faults === 0 && warnings === 0) return "Everything is fine."
  const parts = [
    ...(faults === 0 ? [] : [`${faults} ${faults === 1 ? "fault" : "faults"}`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`])
  ]
  return `${parts.join(", ")}.`
}
