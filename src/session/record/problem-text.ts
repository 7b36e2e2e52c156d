/** What could not be read of a session, for people. */
import type { Problem } from "./session-index.ts"

const REASONS: Readonly<Record<Problem["kind"], string>> = {
  torn: "was cut off while it was written",
  "bad-json": "is damaged",
  "unknown-record": "is of a kind that this version does not know",
  "too-long": "is too long"
}

export const problemText = ({ kind, line }: Problem): string => `line ${line} ${REASONS[kind]}`

/** One line for the whole file: the first faults by name, the others by number. */
export const problemsText = (file: string, problems: ReadonlyArray<Problem>): ReadonlyArray<string> => {
  if (problems.length === 0) return []
  const [named, others] = [problems.slice(0, 3).map(problemText), problems.length - 3]
  return [`${file}: ${named.join(", ")}${others > 0 ? `, and ${others} more` : ""}; the rest was read`]
}
