/** The `list_background_processes` tool: what this session started and left running. */
import { Effect, Schema } from "effect"
import { BackgroundProcesses } from "../shell/background.ts"
import type { BackgroundProcess } from "../shell/background-tracking.ts"
import { defineTool, type PreparedCall } from "./tool.ts"

export const listBackgroundProcesses = defineTool({
  name: "list_background_processes",
  displayName: "List Background Processes",
  kind: "read",
  description: "Lists the background processes of this session with their state and how they ended.",
  params: Schema.Struct({}),
  prepare: () => {
    const call: PreparedCall<BackgroundProcesses> = {
      description: "List background processes",
      locations: [],
      confirmation: Effect.succeed(null),
      run: () => list
    }
    return Effect.succeed(call)
  }
})

const list = Effect.gen(function* () {
  const background = yield* BackgroundProcesses
  const processes = yield* background.list
  const text =
    processes.length === 0 ? "There are no background processes in this session." : processes.map(line).join("\n")
  return { forModel: text, display: { type: "text", text } as const }
})

const line = ({ command, exitCode, pid, signal, status }: BackgroundProcess): string =>
  [
    `- [PID ${pid}] ${status.toUpperCase()}: \`${command}\``,
    ...(exitCode === null ? [] : [`(Exit Code: ${exitCode})`]),
    ...(signal === null ? [] : [`(Signal: ${signal})`])
  ].join(" ")
