/** What is wrong with a file that defines an agent, with the place to correct. */

export interface AgentProblem {
  readonly file: string
  /** From one; absent where the file could not be read at all. */
  readonly line?: number | undefined
  /** Such as `auth.type`. */
  readonly field?: string | undefined
  readonly message: string
}

/** `agents/x.md:3: max_turns: expected a whole number of at least 1`. */
export const problemText = ({ field, file, line, message }: AgentProblem): string =>
  [line === undefined ? file : `${file}:${line}`, ...(field === undefined ? [] : [field]), message].join(": ")
