/**
 * `gemini a2a serve`: tasks of other agents. What the person who started the server said, by flags and variables, stands
 * above what a message says.
 */
import { statSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, isAbsolute, join, resolve } from "node:path"
import { Effect, Logger, LogLevel, Schema } from "effect"
import type { A2aRequest } from "../cli/cli-context.ts"
import { UsageError, usageError } from "../cli/usage-error.ts"
import { type LoadInput, loadConfig } from "../config/load.ts"
import { realPathOf } from "../config/settings-files.ts"
import { isInside } from "../files/containment.ts"
import { lazy } from "../kernel/lazy.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { version } from "../kernel/version.ts"
import { Stderr } from "../output/stderr.ts"
import { Stdout } from "../output/stdout.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { TaskFault, type TaskHost, type TaskRequest } from "../serve/a2a/task-host.ts"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { type HostedInput, openHostedSession } from "./editor.ts"
import type { ProcessFacts } from "./facts.ts"
import { failureOf } from "./outcome.ts"
import { optionsOf } from "./serve.ts"

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

const LEVELS: Readonly<Record<string, LogLevel.LogLevel>> = {
  none: LogLevel.None,
  error: LogLevel.Error,
  warn: LogLevel.Warning,
  warning: LogLevel.Warning,
  info: LogLevel.Info,
  debug: LogLevel.Debug,
  trace: LogLevel.Debug
}

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
    Logger.withMinimumLogLevel(LEVELS[(env.LOG_LEVEL ?? "").toLowerCase()] ?? LogLevel.Info),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger))
  )
})

const serve = Effect.fn("App.serveTasks")(function* (facts: ProcessFacts, request: A2aRequest) {
  const stderr = yield* Stderr
  const { write } = yield* Stdout
  const { env } = facts
  const options = yield* optionsOf([...request.flags, "--prompt=any"], facts)
  if ((env.GCS_BUCKET_NAME ?? "") !== "") {
    yield* stderr.notice("error: tasks are kept on this machine; unset GCS_BUCKET_NAME")
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
  ).pipe(Effect.catchAll((reason: string) => Effect.as(stderr.notice(`error: ${reason}`), ExitCode.general)))
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

/** Variables of such servers that stand for settings. */
const settingsIn = (env: ProcessFacts["env"]): LoadInput["given"] => {
  const { CHECKPOINTING: checkpointing = "", CUSTOM_IGNORE_FILE_PATHS: paths = "", GEMINI_FOLDER_TRUST: trust } = env
  const customIgnoreFilePaths = paths.split(delimiter).filter((path) => path !== "")
  const settings = {
    ...(checkpointing === "" ? {} : { general: { checkpointing: { enabled: checkpointing === "true" } } }),
    ...(trust === "true" ? { security: { folderTrust: { enabled: true } } } : {}),
    ...(customIgnoreFilePaths.length === 0 ? {} : { context: { fileFiltering: { customIgnoreFilePaths } } })
  }
  return Object.keys(settings).length === 0
    ? undefined
    : { file: "the variables of the server", text: JSON.stringify(settings) }
}

interface TaskPlace {
  readonly stderr: Stderr["Type"]
  /** Of every task. */
  readonly workspace: string | undefined
}

const taskHost = (input: HostedInput, { stderr, workspace }: TaskPlace): TaskHost => {
  const { facts, options } = input
  const executesEverything = facts.env.GEMINI_YOLO_MODE === "true"
  const open = Effect.fnUntraced(function* (request: TaskRequest) {
    const folder = yield* folderOf(input, workspace, request.folder)
    const isFree = request.executesAll || executesEverything
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

/** Where a task works. What a caller names must lie where the server may work. */
const folderOf = (
  { facts }: HostedInput,
  workspace: string | undefined,
  asked: string | undefined
): Effect.Effect<string, TaskFault> => {
  const home = facts.cwd ?? "/"
  const isOwn = workspace !== undefined && workspace !== ""
  const wanted = isOwn ? workspace : (asked ?? home)
  if (!isOwn && !isAbsolute(wanted)) return new TaskFault({ message: `the folder must be an absolute path: ${wanted}` })
  const folder = realPathOf(resolve(home, wanted))
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return new TaskFault({ message: `there is no such folder: ${wanted}` })
  }
  const roots = rootsOf(facts).map(realPathOf)
  return isOwn || asked === undefined || roots.some((root) => isInside(root, folder))
    ? Effect.succeed(folder)
    : new TaskFault({ message: `the folder must lie in ${roots.join(", ")} (CODER_AGENT_ALLOWED_ROOT): ${wanted}` })
}

const rootsOf = ({ cwd = "/", env }: ProcessFacts): ReadonlyArray<string> => {
  const named = (env.CODER_AGENT_ALLOWED_ROOT ?? "").split(delimiter).filter((root) => root !== "")
  if (named.length > 0) return named
  const usual = [...(env.HOME === undefined ? [] : [env.HOME]), env.TMPDIR ?? tmpdir()]
  // A server that was started in `/` does not work everywhere for that.
  return usual.some((root) => isInside(realPathOf(cwd), realPathOf(root))) ? usual : [cwd, ...usual]
}
