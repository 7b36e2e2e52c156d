/** `/tasks`: what goes on in the background. */
import { Context, Effect } from "effect"
import { oneLine } from "../../kernel/one-line.ts"
import { BackgroundProcesses } from "../../shell/background.ts"
import type { BackgroundProcess } from "../../shell/background-tracking.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { print, slash } from "../command.ts"
import { textTable } from "../text-table.ts"

export const tasks = slash({
  name: "tasks",
  aliases: ["bg", "background"],
  description: "Commands that run in the background",
  isConcurrent: true,
  run: Effect.fnUntraced(function* () {
    const { services } = yield* LazyServices
    const list = yield* Context.get(yield* services, BackgroundProcesses).list
    const rows = list.map((process) => [
      String(process.pid),
      stateOf(process),
      oneLine(process.command, SHOWN_CHARS),
      process.logFile
    ])
    const text =
      rows.length === 0 ? "Nothing runs in the background." : textTable([["PID", "State", "Command", "Log"], ...rows])
    return print(text, list)
  })
})

const stateOf = ({ exitCode, signal, status }: BackgroundProcess): string => {
  if (status === "running") return "running"
  return signal === null ? `ended with ${exitCode ?? "?"}` : `ended by signal ${signal}`
}

const SHOWN_CHARS = 60
