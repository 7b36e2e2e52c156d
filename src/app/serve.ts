/**
 * Runs of this agent for others: the same as from a command line, with a reader that hands everything on. What a client
 * asks for counts below what the server was started with, and its prompt is words for the model, never a command.
 */

import { statSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Either, Ref } from "effect"
import { readCommandLine } from "../cli/command-line.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { usageError } from "../cli/usage-error.ts"
import { includeDirectories } from "../config/include-directories.ts"
import { type LoadedConfig, loadConfig } from "../config/load.ts"
import { realPathOf } from "../config/settings-files.ts"
import { lazy } from "../kernel/lazy.ts"
import { version } from "../kernel/version.ts"
import { emptySummary, summarize } from "../output/run-summary.ts"
import { RunWriter } from "../output/run-writer.ts"
import { Stderr } from "../output/stderr.ts"
import { Stdout } from "../output/stdout.ts"
import { effectiveMode } from "../policy/approval-mode.ts"
import { SessionId } from "../protocol/ids.ts"
import type { AgentRequest, AgentRunner } from "../serve/agent-runner.ts"
import { type Ceiling, folderRefusal, modeRefusal, type Refusal } from "../serve/ceiling.ts"
import type { Person, ProcessFacts } from "./facts.ts"
import { headlessRun } from "./headless/run.ts"
import { outcomeOf } from "./outcome.ts"

/** Ends with the client. The exit code. Flags that no run could be started with end it at once. */
export const serveAgent = Effect.fn("App.serve")(function* (facts: ProcessFacts, flags: ReadonlyArray<string>) {
  const own = yield* optionsOf([...flags, "--prompt=any"], facts)
  const { serveMcp } = yield* lazy(() => import("../serve/mcp-serve.live.ts"))
  const stderr = yield* Stderr
  const { write } = yield* Stdout
  yield* serveMcp(agentRunner(facts, { flags, own }, stderr), { version, write })
  return 0
})

interface ServerFlags {
  readonly flags: ReadonlyArray<string>
  readonly own: RunOptions
}

const agentRunner =
  (facts: ProcessFacts, server: ServerFlags, stderr: Stderr["Type"]): AgentRunner =>
  (request, onEvent, person) =>
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
      const exit = yield* runOnce({ ...facts, sessionId }, server, { request, person }).pipe(
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

interface Asked {
  readonly request: AgentRequest
  readonly person: Person | undefined
}

const runOnce = Effect.fnUntraced(function* (facts: ProcessFacts, server: ServerFlags, { person, request }: Asked) {
  const cwd = yield* folderFor(facts, server, request)
  const options = yield* optionsOf([...server.flags, ...argumentsOf(request)], facts)
  const config = yield* loadFor(facts, cwd, options)
  yield* headlessRun({
    facts,
    options,
    config,
    format: "json",
    prompt: request.prompt,
    readsStdin: false,
    readsCommands: false,
    ...(person === undefined ? {} : { person })
  })
})

/** Where the run works, once it is known that the client asks for no more than the server may give. */
const folderFor = Effect.fnUntraced(function* (facts: ProcessFacts, { own }: ServerFlags, request: AgentRequest) {
  const home = facts.cwd ?? "/"
  if (request.approvalMode === undefined && request.cwd === undefined) return home
  const ceiling = ceilingOf(yield* loadFor(facts, home, own), own)
  if (request.approvalMode !== undefined) yield* obey(modeRefusal(request.approvalMode, ceiling))
  if (request.cwd === undefined) return home
  const cwd = realPathOf(resolve(home, request.cwd))
  yield* obey(folderRefusal(cwd, ceiling))
  if (!isFolder(cwd))
    return yield* usageError(`cwd cannot be "${cwd}": there is no such folder`, "Name a folder that exists.")
  return cwd
})

const obey = (refusal: Refusal | undefined) =>
  refusal === undefined ? Effect.void : usageError(refusal.message, refusal.advice)

const ceilingOf = (config: LoadedConfig, own: RunOptions): Ceiling => {
  const { environment, settings, trust } = config
  const settled = effectiveMode({ asked: own.approvalMode, settings, trust: trust.trust })
  return {
    // A mode that is forbidden altogether is refused when the run is planned.
    mode: Either.match(settled, { onLeft: () => "default" as const, onRight: ({ mode }) => mode }),
    modeSource:
      own.approvalMode === undefined
        ? "it was started without --approval-mode"
        : `it was started with --approval-mode ${own.approvalMode}`,
    roots: [environment.cwd, ...includeDirectories(config, own.includeDirectories ?? [])].map(realPathOf)
  }
}

const loadFor = (facts: ProcessFacts, cwd: string, options: RunOptions) =>
  loadConfig({
    env: facts.env,
    cwd,
    platform: facts.platform,
    flags: { skipTrust: options.skipTrust, ignoreEnv: options.ignoreEnv, ignoreProject: options.bare }
  })

/** As of a run that was started with them. */
export const optionsOf = (argv: ReadonlyArray<string>, facts: ProcessFacts) =>
  Effect.flatMap(readCommandLine(argv, facts), (command) =>
    command._tag === "Run" ? Effect.succeed(command.options) : usageError("only a prompt can be run")
  )

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
