/** `list_background_processes` and `read_background_output`: processes of this session that go on, and of no other. */
import { Effect, Schema } from "effect"
import { untrusted } from "../kernel/prompt-frames.ts"
import { BackgroundProcesses } from "../shell/background.ts"
import type { LogTail } from "../shell/background-log.ts"
import type { BackgroundProcess } from "../shell/background-tracking.ts"
import { defineTool, type PreparedCall, ToolFailure } from "./tool.ts"

const DEFAULT_LINES = 100

const Params = Schema.Struct({
  pid: Schema.Int.annotations({
    description: "Process id, as run_shell_command or list_background_processes gave it."
  }),
  lines: Schema.optional(
    Schema.Int.pipe(Schema.greaterThanOrEqualTo(1)).annotations({
      description: "How many lines from the end to read. Default: 100."
    })
  ),
  delay_ms: Schema.optional(
    Schema.Int.pipe(Schema.between(0, 600_000)).annotations({
      description: "Milliseconds to wait before reading, to give the process time to print."
    })
  )
})

export const readBackgroundOutput = defineTool({
  name: "read_background_output",
  displayName: "Read Background Output",
  kind: "read",
  description: "Reads the last lines that a background process of this session has printed.",
  params: Params,
  prepare: (params) => {
    const call: PreparedCall<BackgroundProcesses> = {
      description: `Read the output of background process ${params.pid}`,
      locations: [],
      confirmation: Effect.succeed(null),
      run: () => read(params)
    }
    return Effect.succeed(call)
  }
})

const read = Effect.fnUntraced(function* ({ delay_ms = 0, lines = DEFAULT_LINES, pid }: typeof Params.Type) {
  const background = yield* BackgroundProcesses
  if (delay_ms > 0) yield* Effect.sleep(delay_ms)
  const tail = yield* Effect.mapError(
    background.readOutput(pid, lines),
    (error) => new ToolFailure({ type: "execution_failed", message: error.message })
  )
  if (tail.available === 0) {
    const text = `Process ${pid} has not printed anything yet.`
    return { forModel: text, display: { type: "text", text } as const }
  }
  const header = headerOf(pid, tail)
  return {
    forModel: `${header}\n${untrusted(tail.lines.join("\n"))}`,
    display: { type: "text", text: header } as const
  }
})

const headerOf = (pid: number, { available, isCut, lines }: LogTail): string => {
  if (!isCut && lines.length === available) return `Full log of process ${pid} (${available} lines):`
  return `Last ${lines.length} of ${isCut ? "more than " : ""}${available} lines of process ${pid}:`
}

/** The `list_background_processes` tool: what this session started and left running. */
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
