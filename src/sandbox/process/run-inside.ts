/**
 * Waits for the program inside: what it answers is our answer. A signal that we get is its signal; it has the time to
 * tidy up, and ends in any case. As long as it has not begun inside, whatever goes wrong is the sandbox's fault, not
 * an answer. Of the person's variables it gets few.
 */
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { join } from "node:path"
import { Effect, Exit } from "effect"
import type { EnvironmentView } from "../../config/environment.ts"
import { messageOf } from "../../kernel/cause-chain.ts"
import { spawnProgram } from "../../system/programs.ts"
import { hopFailed } from "../sandbox-unavailable.ts"
import { sessionFolder } from "./inside-script.ts"
import type { EnteredProcess, Hop, ProcessBackend } from "./process-backend.ts"

export interface InsideRun {
  readonly backend: Pick<ProcessBackend, "name" | "enter">
  readonly hop: Hop
  /** A file with what came on standard input; `inherit`: it is the program's to read. */
  readonly input: "inherit" | "none" | { readonly file: string }
  /** The signal that ends this run, if one does. */
  readonly stoppedBy: () => NodeJS.Signals | undefined
}

/** Less than what we are given ourselves. */
const GRACE = "4 seconds"
const FORCED_WITHIN = "1 second"

/** The exit code of what ran inside. */
export const runInside = Effect.fn("Sandbox.runInside")(function* (run: InsideRun) {
  const entered = yield* run.backend.enter(run.hop)
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const child = yield* Effect.try({
        try: () =>
          spawnProgram(entered.program, {
            stdin: stdinOf(run.input),
            stdout: "inherit",
            stderr: "inherit",
            // What a terminal sends to everybody would reach it twice, or end the wall before the program.
            detached: !run.hop.takesTerminal
          }),
        catch: (cause) => hopFailed(run.backend.name, messageOf(cause))
      })
      const over = Effect.promise(() => child.exited)
      const lost = entered.lost ?? Effect.never
      const first = yield* Effect.exit(restore(Effect.raceFirst(Effect.as(over, undefined), lost)))
      if (Exit.isSuccess(first) && first.value === undefined) return yield* answerOf(run, child)
      yield* endInside(child, entered, Exit.isFailure(first) ? (run.stoppedBy() ?? "SIGTERM") : "SIGTERM")
      if (Exit.isSuccess(first)) return yield* hopFailed(run.backend.name, first.value ?? "it ended")
      return yield* answerOf(run, child)
    })
  )
})

const stdinOf = (input: InsideRun["input"]) =>
  input === "inherit" ? "inherit" : input === "none" ? "ignore" : Bun.file(input.file)

const endInside = Effect.fnUntraced(function* (
  child: Bun.Subprocess,
  { end, signal }: EnteredProcess,
  by: NodeJS.Signals
) {
  const gone = (within: typeof GRACE | typeof FORCED_WITHIN) =>
    Effect.timeoutOption(Effect.interruptible(Effect.promise(() => child.exited)), within)
  yield* signal === undefined ? Effect.sync(() => child.kill(by)) : signal(by, child.pid)
  yield* gone(GRACE)
  if (isOver(child)) return
  if (end !== undefined) yield* end
  child.kill("SIGKILL")
  yield* gone(FORCED_WITHIN)
})

const answerOf = (run: InsideRun, child: Bun.Subprocess) => {
  if (!existsSync(join(sessionFolder(run.hop.temp), "began"))) {
    return hopFailed(
      run.backend.name,
      `it ended before anything ran inside (${endOf(child)}); what it said stands above`
    )
  }
  return Effect.succeed(child.exitCode ?? 128 + signalNumber(child))
}

const endOf = (child: Bun.Subprocess): string =>
  child.exitCode === null ? `${child.signalCode ?? "still there"}` : `exit ${child.exitCode}`

const signalNumber = ({ signalCode }: Bun.Subprocess): number =>
  signalCode === null
    ? constants.signals.SIGKILL
    : typeof signalCode === "number"
      ? signalCode
      : constants.signals[signalCode]

const isOver = (child: Bun.Subprocess): boolean => child.exitCode !== null || child.signalCode !== null

const PASSED = [
  "GOOGLE_API_KEY",
  "GOOGLE_VERTEX_BASE_URL",
  "GOOGLE_GENAI_USE_VERTEXAI",
  "GOOGLE_GENAI_USE_GCA",
  "GOOGLE_GEMINI_BASE_URL",
  "GOOGLE_CLOUD_PROJECT",
  "GOOGLE_CLOUD_PROJECT_ID",
  "GOOGLE_CLOUD_QUOTA_PROJECT",
  "GOOGLE_CLOUD_LOCATION",
  "GOOGLE_CLOUD_ACCESS_TOKEN",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CODE_ASSIST_ENDPOINT",
  "TERM",
  "COLORTERM",
  "TERM_PROGRAM",
  "NO_COLOR",
  "FORCE_COLOR",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "CI",
  "DEBUG",
  "DEBUG_MODE",
  "NODE_OPTIONS"
]

/** Say how this run gets into the sandbox. */
const OUTSIDE = /^(?:GEMINI_SANDBOX|GEMINI_DEBUG_LOG_FILE)/

interface InsideVariablesInput {
  readonly environment: Pick<EnvironmentView, "variables" | "dotenv">
  /** On top of the others. */
  readonly given: Readonly<Record<string, string>>
}

/**
 * Which variables the program gets inside: those of its own, what a `.env` file added, and what was asked for. Everything
 * else of the person's shell stays outside. Pure.
 */
export const insideVariables = ({ environment, given }: InsideVariablesInput): Readonly<Record<string, string>> => {
  const added = new Set(environment.dotenv?.names)
  const passes = (name: string) =>
    !OUTSIDE.test(name) && (PASSED.includes(name) || name.startsWith("GEMINI_") || added.has(name))
  return { ...Object.fromEntries(Object.entries(environment.variables).filter(([name]) => passes(name))), ...given }
}
