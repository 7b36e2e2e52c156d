/**
 * Runs of this agent for others: the same as from a command line, with a reader that hands everything on. What a client
 * asks for counts below what the server was started with, and its prompt is words for the model, never a command.
 */

import { statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Either, Logger, Ref, Schema } from "effect"
import type { A2aRequest } from "../cli/cli-context.ts"
import { readCommandLine } from "../cli/command-line.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { UsageError, usageError } from "../cli/usage-error.ts"
import { type LoadedConfig, loadConfig } from "../config/load.ts"
import { realPathOf } from "../config/settings-files.ts"
import { includeDirectories } from "../config/workspace-roots.ts"
import { lazy } from "../kernel/lazy.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { version } from "../kernel/version.ts"
import { emptySummary, summarize } from "../output/run-summary.ts"
import { failureLine, RunWriter } from "../output/run-writer.ts"
import { Stderr } from "../output/stderr.ts"
import { Stdout } from "../output/stdout.ts"
import { effectiveMode } from "../policy/approval-mode.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { SessionId } from "../protocol/ids.ts"
import { logLevelOf, settingsIn, taskFolder } from "../serve/a2a/server-variables.ts"
import { TaskFault, type TaskHost, type TaskRequest } from "../serve/a2a/task-host.ts"
import { type Ceiling, type CeilingRefusal, folderRefusal, modeRefusal } from "../serve/ceiling.ts"
import type { AgentRequest, ServedAgent } from "../serve/run-tool.ts"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { type HostedInput, openHostedSession } from "./editor.ts"
import type { ProcessFacts, RunPerson } from "./facts.ts"
import { headlessRun } from "./headless/run.ts"
import { failureOf, outcomeOf } from "./outcome.ts"

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
  (facts: ProcessFacts, server: ServerFlags, stderr: Stderr["Type"]): ServedAgent =>
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
  readonly person: RunPerson | undefined
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

const obey = (refusal: CeilingRefusal | undefined) =>
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

const LOOPBACK = "127.0.0.1"

/** The exit code. Flags that no run could be started with end it at once. */
export const serveTasks = Effect.fnUntraced(function* (facts: ProcessFacts, request: A2aRequest) {
  const secrets: Array<Secret> = []
  const learnSecrets: ProcessFacts["learnSecrets"] = (found) => {
    secrets.push(...found)
    facts.learnSecrets(found)
  }
  return yield* withServerLog(facts, secrets, serve({ ...facts, learnSecrets }, request))
})

/** A server says what it does, on standard error; with `DEBUG` it does so anyway. */
const withServerLog = Effect.fnUntraced(function* <A, E, R>(
  { env }: ProcessFacts,
  secrets: ReadonlyArray<Secret>,
  serving: Effect.Effect<A, E, R>
) {
  if (env.DEBUG === "true" || env.DEBUG === "1") return yield* serving
  const [{ debugLogger }, { redactionOf }] = yield* Effect.promise(() =>
    Promise.all([import("../output/debug-log.ts"), import("../kernel/redact-secrets.ts")])
  )
  const file = env.GEMINI_DEBUG_LOG_FILE || undefined
  const logger = debugLogger({ onStderr: true, file, redact: (line) => redactionOf(secrets)(line) })
  return yield* serving.pipe(
    Logger.withMinimumLogLevel(logLevelOf(env)),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
})

const serve = Effect.fn("App.serveTasks")(function* (facts: ProcessFacts, request: A2aRequest) {
  const stderr = yield* Stderr
  const { write } = yield* Stdout
  const { env } = facts
  const options = yield* optionsOf([...request.flags, "--prompt=any"], facts)
  if ((env.GCS_BUCKET_NAME ?? "") !== "") {
    yield* stderr.notice("error: tasks are kept on this machine; unset GCS_BUCKET_NAME [gemini help bad-usage]")
    return ExitCode.config
  }
  const port = yield* portOf(request.port ?? env.CODER_AGENT_PORT)
  const host = request.host === undefined || request.host === "localhost" ? LOOPBACK : request.host
  const isLoopback = host === LOOPBACK || host === "::1"
  const ownToken = env.GEMINI_A2A_TOKEN ?? ""
  if (!isLoopback && (!request.needsToken || ownToken === "")) {
    return yield* usageError(
      `--host ${host} can be reached from other machines and needs a token`,
      "Set GEMINI_A2A_TOKEN, and leave --no-token out."
    )
  }
  const token = request.needsToken ? ownToken || randomToken() : undefined
  const config = yield* configFor(facts, options, facts.cwd ?? "/").pipe(
    Effect.mapError(
      ({ message }) =>
        new UsageError({ message, hint: "gemini config validate tells more.", exitCode: ExitCode.config })
    )
  )
  const input = { facts, options, config }
  const workspace = request.workspace ?? env.CODER_AGENT_WORKSPACE_PATH
  const { startA2a } = yield* lazy(() => import("../serve/a2a/a2a-server.live.ts"))
  const { userDir } = input.config.storage
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const server = yield* startA2a(taskHost(input, { stderr, workspace }), {
        host,
        port,
        token,
        hasWorkspace: workspace !== undefined && workspace !== "",
        storeFolder: join(userDir, "a2a", "tasks")
      })
      if (!isLoopback) yield* stderr.notice(`[WARNING] ${host} can be reached from other machines`)
      const credentials = token === undefined ? undefined : join(userDir, "a2a", `${process.pid}.json`)
      if (credentials !== undefined) {
        const content = JSON.stringify({ url: server.url, token, pid: process.pid })
        yield* Effect.acquireRelease(
          writeFileAtomic({ file: credentials, content, mode: 0o600 }).pipe(Effect.mapError(({ message }) => message)),
          () => removeFile(credentials)
        )
      }
      yield* Effect.annotateLogs(Effect.logInfo("listening"), { url: server.url })
      yield* write(
        `${JSON.stringify({ type: "ready", ...server, pid: process.pid, ...(credentials === undefined ? {} : { credentials }) })}\n`
      ).pipe(Effect.mapError(() => "standard output is closed"))
      return yield* Effect.never
    })
  ).pipe(
    Effect.catchAll((reason: string) =>
      Effect.as(stderr.notice(failureLine({ type: "Error", message: reason, help: "not-served" })), ExitCode.general)
    )
  )
})

const Port = Schema.NumberFromString.pipe(Schema.int(), Schema.between(0, 65_535))

/** A free one where nothing is said. */
const portOf = (given: string | undefined) =>
  given === undefined || given === ""
    ? Effect.succeed(0)
    : Effect.mapError(Schema.decodeUnknown(Port)(given), () =>
        usageError(`the port cannot be "${given}"`, "Give a number from 0 (a free one) to 65535.")
      )

const removeFile = (file: string) => Effect.ignore(Effect.tryPromise(() => Bun.file(file).delete()))

const randomToken = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")

const configFor = ({ env, platform }: ProcessFacts, options: HostedInput["options"], cwd: string) =>
  loadConfig({
    env,
    cwd,
    platform,
    given: settingsIn(env),
    flags: {
      skipTrust: options.skipTrust,
      ignoreEnv: options.ignoreEnv,
      ignoreProject: options.bare,
      asksTrust: env.GEMINI_FOLDER_TRUST === "true"
    }
  })

interface TaskPlace {
  readonly stderr: Stderr["Type"]
  /** Of every task. */
  readonly workspace: string | undefined
}

const taskHost = (input: HostedInput, { stderr, workspace }: TaskPlace): TaskHost => {
  const { facts, options } = input
  const executesEverything = facts.env.GEMINI_YOLO_MODE === "true"
  const open = Effect.fnUntraced(function* (request: TaskRequest) {
    const folder = yield* taskFolder(request.folder, { ...facts, workspace })
    // What the server was started with is the most that a caller can have.
    const most = options.approvalMode ?? "yolo"
    if (request.executesAll && most !== "yolo") {
      const message = `autoExecute cannot be had: tasks of this server have ${most} at most (it was started with --approval-mode ${most})`
      return yield* new TaskFault({ message })
    }
    const isFree = request.executesAll || (executesEverything && most === "yolo")
    const own = { ...input, options: isFree ? { ...options, approvalMode: "yolo" as const } : options }
    const config = yield* configFor(facts, options, folder)
    const { services } = yield* openHostedSession(own, config, {
      sessionId: request.taskId,
      recorded: request.isKnown ? "if-there" : "no",
      directories: [],
      servers: {},
      person: () => request.person
    })
    return { services, folder }
  })
  return {
    version,
    open: (request) =>
      open(request).pipe(
        Effect.mapError((error) =>
          error._tag === "TaskFault" || error._tag === "EditorFault"
            ? new TaskFault({ message: error.message })
            : new TaskFault({ message: wordsOf(error) })
        ),
        Effect.provideService(Stderr, stderr)
      )
  }
}

const wordsOf = (error: Parameters<typeof failureOf>[0]): string => {
  const { failure } = failureOf(error)
  return failure === undefined ? error.message : [failure.message, failure.hint].filter(Boolean).join(". ")
}
