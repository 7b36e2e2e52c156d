/**
 * Commands entered after `!`, in `shell_history`: one on each line, a backslash at the end joins a line with the next.
 * The file is only appended to, without credentials; of what it holds, the last 100 different commands count.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import { cachedOnce } from "../../kernel/cached-once.ts"
import { endsInBackslash } from "./enter-key.ts"
import type { InputHistory } from "./prompt-history.ts"

const MAX_COMMANDS = 100

export interface ShellHistoryOptions {
  readonly file: Effect.Effect<string, unknown>
  /** Takes credentials out of what is written. */
  readonly clean: Effect.Effect<(text: string) => string>
}

export const makeShellHistory = Effect.fnUntraced(function* ({ clean, file }: ShellHistoryOptions) {
  const mine: Array<string> = []
  const before = yield* cachedOnce(
    Effect.flatMap(file, (path) => Effect.try(() => parseShellHistory(readFileSync(path, "utf8")))).pipe(
      // No file yet.
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  )
  const history: InputHistory = {
    entries: Effect.map(before, (commands) => lastDistinct([...commands, ...mine])),
    add: (text) =>
      Effect.suspend(() => {
        if (text.trim() === "") return Effect.void
        mine.push(text)
        const written = Effect.all([file, clean])
        return Effect.ignoreLogged(
          Effect.flatMap(written, ([path, cleaned]) => Effect.try(() => append(path, cleaned(text))))
        )
      })
  }
  return history
})

export const parseShellHistory = (content: string): ReadonlyArray<string> => {
  const commands: Array<string> = []
  let joined: string | undefined
  for (const line of content.split("\n")) {
    const command: string = joined === undefined ? line : `${joined}\n${line}`
    joined = endsInBackslash(line) ? command : undefined
    if (joined === undefined && command.trim() !== "") commands.push(command)
  }
  return joined === undefined ? commands : [...commands, joined]
}

/** The newest of equal ones stays. */
const lastDistinct = (commands: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set([...commands].reverse())].slice(0, MAX_COMMANDS).reverse()

const append = (path: string, command: string): void => {
  // A line break that no backslash joins cannot be written down; such a command is remembered for this session only.
  const lines = command.split("\n")
  if (lines.slice(0, -1).some((line) => !endsInBackslash(line))) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  appendFileSync(path, `${command}\n`, { mode: 0o600 })
}
