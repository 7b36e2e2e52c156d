/** How the work of an agent ended, and the one text that its caller gets of it. Pure. */
import type { TerminateMode } from "../../protocol/event.ts"

export interface AgentOutcome {
  readonly reason: TerminateMode
  /** What it handed over, or what went wrong. */
  readonly result: string
  /** A hook ended not only this work but the run, and said why. */
  readonly stopReason?: string
}

export const outcomeText = (agent: string, { reason, result }: AgentOutcome): string =>
  `Subagent '${agent}' finished.\nTermination reason: ${reason}\nResult:\n${result}`

/** A result as text: texts as they are, everything else as JSON. */
export const resultText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2)

const SUMMARY_CHARS = 200

/** For the record of its session. */
export const summaryOf = ({ result }: AgentOutcome): string => {
  const line = result.replace(/\s+/g, " ").trim()
  return line.length <= SUMMARY_CHARS ? line : `${line.slice(0, SUMMARY_CHARS - 3)}...`
}
