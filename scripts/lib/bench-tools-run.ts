/**
 * One run of the binary in which the scripted model calls tools, with the time of every turn: from the moment the model
 * has answered until the whole next request has arrived.
 *
 * The words are those of the test kit, its server is not: that one parses and keeps every request, and a conversation
 * that grows would be measured together with what the server makes of it.
 */
import { ask, call, type Part, say } from "../../test/kit/replies.ts"
import { bodyOf } from "../../test/kit/reply-bytes.ts"
import type { RunResult } from "../../test/kit/run-gemini.ts"

export interface Turn {
  readonly calls: ReadonlyArray<Part>
  /** Runs before the model answers, off the clock: the program waits for it as for a slow model. */
  readonly before?: (pid: number) => Promise<unknown>
}

export interface Subject {
  readonly binary: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export const shellTurn = (command: string): Turn => ({ calls: [call("run_shell_command", { command })] })

const ARGUMENTS = "-p go -m scripted --yolo -o stream-json --max-turns 100000".split(" ")

const PROGRESS = {
  candidates: [
    {
      content: {
        parts: [{ text: '{"unproductive_state_analysis":"it gets on","unproductive_state_confidence":0}' }]
      },
      finishReason: "STOP"
    }
  ]
}

/** Milliseconds of each turn. */
export const timesOf = async (subject: Subject, turns: ReadonlyArray<Turn>): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  const started = Promise.withResolvers<number>()
  let answeredAt: number | undefined
  let preparing: Promise<unknown> | undefined
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      await request.arrayBuffer()
      // Asked beside the conversation, whether it still gets on.
      if (request.url.endsWith(":generateContent")) return Response.json(PROGRESS)
      if (answeredAt !== undefined) {
        times.push((Bun.nanoseconds() - answeredAt) / 1e6)
        answeredAt = undefined
        preparing = undefined
      }
      // What comes before an answer is the same request again, of a program that has waited too long: no new turn.
      const turn = turns[times.length]
      preparing ??= (async () => turn?.before?.(await started.promise))()
      await preparing
      const { body, headers } = bodyOf(turn === undefined ? say("done") : ask(...turn.calls), true)
      answeredAt = Bun.nanoseconds()
      return new Response(body, { headers })
    }
  })
  try {
    const child = Bun.spawn([subject.binary, ...ARGUMENTS], {
      cwd: subject.cwd,
      env: { ...subject.env, GOOGLE_GEMINI_BASE_URL: server.url.origin },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe"
    })
    started.resolve(child.pid)
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    expectSuccess({ stdout, stderr, exitCode: await child.exited }, turns.flatMap(({ calls }) => calls).length)
    return times
  } finally {
    await server.stop(true)
  }
}

/** A call that fails would be measured doing something else, so that ends the bench. */
const expectSuccess = (result: RunResult, callCount: number): void => {
  if (result.exitCode !== 0) throw new Error(`a run with tool calls ended with ${result.exitCode}: ${result.stderr}`)
  const events: ReadonlyArray<{ readonly type: string; readonly status?: string }> = result.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  const results = events.filter(({ type }) => type === "tool_result")
  const failed = results.find(({ status }) => status !== "success")
  if (failed !== undefined) throw new Error(`a tool call failed: ${JSON.stringify(failed)}`)
  if (results.length !== callCount) throw new Error(`${callCount} tool calls were asked for, ${results.length} ran`)
}
