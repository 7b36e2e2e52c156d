/** Runs of this agent for others: the same as from a command line, with a reader that hands everything on. */
import { statSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Either, Ref } from "effect"
import { readCommandLine } from "../cli/command-line.ts"
import { usageError } from "../cli/usage-error.ts"
import { version } from "../cli/version.ts"
import { loadConfig } from "../config/load.ts"
import { emptySummary, summarize } from "../output/run-summary.ts"
import { RunWriter } from "../output/run-writer.ts"
import { Stderr } from "../output/stderr.ts"
import { SessionId } from "../protocol/ids.ts"
import type { AgentRequest, AgentRunner } from "../serve/agent-runner.ts"
import { headlessRun } from "./headless-run.ts"
import { outcomeOf } from "./outcome.ts"
import type { ProcessFacts } from "./start.ts"

/** Ends with the client. The exit code. */
export const serveAgent = Effect.fn("App.serve")(function* (facts: ProcessFacts, flags: ReadonlyArray<string>) {
  const { serveMcp } = yield* Effect.promise(() => import("../serve/mcp-serve.live.ts"))
  const stderr = yield* Stderr
  yield* serveMcp(agentRunner(facts, flags, stderr), version)
  return 0
})

const agentRunner =
  (facts: ProcessFacts, flags: ReadonlyArray<string>, stderr: Stderr["Type"]): AgentRunner =>
  (request, onEvent) =>
    Effect.gen(function* () {
      const sessionId = SessionId.make(crypto.randomUUID())
      const summary = yield* Ref.make(emptySummary)
      const writer = RunWriter.of({
        onEvent: (event) =>
          Effect.zipRight(
            Ref.update(summary, (before) => summarize(before, event)),
            onEvent(event)
          ),
        finish: () => Effect.void
      })
      const exit = yield* runOnce({ ...facts, sessionId }, flags, request).pipe(
        Effect.provideService(RunWriter, writer),
        Effect.provideService(Stderr, stderr),
        Effect.exit
      )
      const { denials, lastTurn, structured } = yield* Ref.get(summary)
      return {
        sessionId,
        outcome: outcomeOf(exit, facts.stoppedBy()),
        response: lastTurn,
        structured,
        denials: denials.map(({ reason, toolName }) => ({ toolName, reason }))
      }
    })

const runOnce = Effect.fnUntraced(function* (facts: ProcessFacts, flags: ReadonlyArray<string>, request: AgentRequest) {
  const cwd = resolve(facts.cwd ?? "/", request.cwd ?? ".")
  if (!isFolder(cwd))
    return yield* usageError(`cwd cannot be "${cwd}": there is no such folder`, "Name a folder that exists.")
  const command = yield* readCommandLine([...flags, ...argumentsOf(request)], facts)
  if (command._tag !== "Run") return yield* usageError("only a prompt can be run")
  const { options } = command
  const config = yield* loadConfig({
    env: facts.env,
    cwd,
    platform: facts.platform,
    flags: { skipTrust: options.skipTrust, ignoreEnv: options.ignoreEnv, ignoreProject: options.bare }
  })
  yield* headlessRun({ facts, options, config, format: "json", prompt: request.prompt, readsStdin: false })
})

const argumentsOf = ({ approvalMode, outputSchema, prompt }: AgentRequest): ReadonlyArray<string> => [
  `--prompt=${prompt}`,
  ...(approvalMode === undefined ? [] : [`--approval-mode=${approvalMode}`]),
  ...(outputSchema === undefined ? [] : [`--output-schema=${JSON.stringify(outputSchema)}`])
]

const isFolder = (path: string): boolean =>
  Either.getOrElse(
    Either.try(() => statSync(path).isDirectory()),
    () => false
  )
