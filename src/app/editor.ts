/**
 * The program behind an editor: it serves one until it leaves. A session that somebody else leads, an editor or another
 * agent, is planned like every run and has all its services, in a scope of its own; how it is spoken about is the business
 * of `acp/` and `serve/`.
 */

import { isAbsolute } from "node:path"
import { Cause, Context, Effect, Exit, Layer, Ref } from "effect"
import { EditorFault, FAULT, invalidParams, sessionNotFound } from "../acp/editor-fault.ts"
import { type EditorHost, makeCredentials, type OpenRequest, recordedSessions } from "../acp/editor-host.ts"
import { personAtEditor } from "../acp/introduction.ts"
import { Chat } from "../chat/chat.ts"
import { resumeStats } from "../chat/stats/session-stats.ts"
import type { RunOptions } from "../cli/run-options.ts"
import { type LoadedConfig, loadConfig } from "../config/load.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { loadExtensions } from "../extensions/load-extensions.ts"
import { companionOf } from "../ide/from-config.ts"
import { lazy } from "../kernel/lazy.ts"
import { version } from "../kernel/version.ts"
import { Stderr } from "../output/stderr.ts"
import { Stdout } from "../output/stdout.ts"
import { ExitCode } from "../protocol/exit-code.ts"
import { SessionId } from "../protocol/ids.ts"
import { sessionsOfId } from "../session/browse/session-list.ts"
import { planSession } from "../session/record/session-plan.ts"
import { readWholeSession } from "../session/record/session-reader.ts"
import * as Slash from "../slash/from-config.ts"
import { statOrNone } from "../system/regular-file.ts"
import { administered } from "./administrator.ts"
import { appLayer } from "./compose.ts"
import { accessFacts, type ProcessFacts, type RunPerson } from "./facts.ts"
import { trustNotices } from "./headless/run.ts"
import { failureOf, type RunError } from "./outcome.ts"
import { planRun } from "./plan.ts"
import { endStart } from "./telemetry/observers.ts"

/** An editor that leaves is no failure. */
export const editorRun = Effect.fn("App.editorRun")(function* (input: HostedInput) {
  const { write } = yield* Stdout
  const stderr = yield* Stderr
  const { serveAcp } = yield* lazy(() => import("../acp/acp-server.live.ts"))
  const serving = serveAcp(yield* editorHost(input), {
    input: Bun.stdin.stream(),
    personOf: personAtEditor,
    write
  })
  const exit = yield* Effect.uninterruptibleMask((restore) => Effect.exit(restore(serving)))
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return ExitCode.success
  yield* stderr.notice(`error: internal error: ${Cause.pretty(exit.cause)}`)
  return ExitCode.internal
})

const editorHost = Effect.fnUntraced(function* (input: HostedInput) {
  const stderr = yield* Stderr
  const { facts, options } = input
  const { authenticate, given, logOut } = yield* makeCredentials(input.config)

  const open = Effect.fn("Editor.open")(function* (request: OpenRequest) {
    yield* checkFolder(request.cwd)
    const config = yield* loadConfig({
      env: { ...facts.env, ...(yield* Ref.get(given)) },
      cwd: request.cwd,
      platform: facts.platform,
      flags: { skipTrust: options.skipTrust, ignoreEnv: options.ignoreEnv, ignoreProject: options.bare }
    })
    return yield* openHostedSession(input, config, {
      ...request,
      recorded: request.isRecorded ? "must-be-there" : "no",
      surface: "acp"
    })
  })

  return {
    version,
    open: (request) => open(request).pipe(Effect.mapError(editorFault), Effect.provideService(Stderr, stderr)),
    ...recordedSessions(input.config.storage),
    authenticate,
    logOut
  } satisfies EditorHost
})

const checkFolder = (cwd: string): Effect.Effect<void, EditorFault> => {
  if (!isAbsolute(cwd)) return invalidParams(`cwd must be an absolute path: ${cwd}`)
  return statOrNone(cwd)?.isDirectory() === true ? Effect.void : invalidParams(`Directory does not exist: ${cwd}`)
}

const editorFault = (error: RunError | EditorFault): EditorFault => {
  if (error._tag === "EditorFault") return error
  const { failure } = failureOf(error)
  const message = failure?.message ?? error.message
  return new EditorFault({ code: codeOf(error), message, data: { details: failure?.hint ?? message } })
}

const codeOf = ({ _tag }: RunError): number => {
  switch (_tag) {
    case "AuthError":
      return FAULT.signIn
    case "SessionNotFound":
      return FAULT.notFound
    case "SessionBusy":
    case "UntrustedFolder":
    case "ForbiddenMode":
      return FAULT.invalidParams
    default:
      return FAULT.internal
  }
}

export interface HostedInput {
  readonly facts: ProcessFacts
  readonly options: RunOptions
  /** Of the folder that the program was started in. */
  readonly config: LoadedConfig
}

export interface HostedRequest {
  readonly sessionId: string
  /** Whether it goes on with the recorded session of its id. */
  readonly recorded: "no" | "must-be-there" | "if-there"
  readonly directories: ReadonlyArray<string>
  /** MCP servers of this session alone, by name. */
  readonly servers: Readonly<Record<string, McpServer>>
  /** Who is asked, once the settings of the folder are known. */
  readonly person: (config: LoadedConfig) => RunPerson
  readonly surface?: "acp"
}

/** Belongs to the scope. */
export const openHostedSession = Effect.fn("App.openHostedSession")(function* (
  input: HostedInput,
  own: LoadedConfig,
  request: HostedRequest
) {
  const stderr = yield* Stderr
  const { account, config, watch } = yield* administered(own, accessFacts({ options: input.options }))
  yield* Effect.forkScoped(watch)
  const options = {
    ...input.options,
    includeDirectories: [...(input.options.includeDirectories ?? []), ...request.directories]
  }
  const plan = yield* planRun({
    ...config,
    options,
    trust: config.trust.trust,
    // Whoever marked the folder so may still work in it, untrusted.
    isForbiddenFolder: false
  })
  const facts = { ...input.facts, sessionId: SessionId.make(request.sessionId) }
  const companion = yield* companionOf(config, { ...facts, ideMode: options.ideMode, canBeTurnedOn: false })
  const past = request.recorded === "no" ? undefined : yield* recordedSession(config, request)
  const { extensions, notices } = yield* loadExtensions({ config, named: options.extensions, isBare: options.bare })
  yield* Effect.forEach(
    [...(yield* trustNotices({ config, options })), ...plan.notices, ...notices, ...(past?.session.notices ?? [])],
    stderr.notice,
    {
      discard: true
    }
  )
  const app = {
    facts,
    options,
    config,
    account,
    plan,
    format: "text",
    extensions,
    session: past?.session,
    person: request.person(config),
    companion,
    sessionServers: request.servers,
    surface: request.surface
  } as const
  const services = yield* Layer.build(Slash.layer.pipe(Layer.provideMerge(appLayer(app))))
  if (past !== undefined) {
    yield* Context.get(services, Chat).replaceHistory(past.session.history)
    if (past.session.used.length > 0) yield* Effect.provide(resumeStats(past.session.used, config.settings), services)
  }
  yield* Effect.provide(endStart(app), services)
  return { config, services, recorded: past?.messages ?? [] }
})

/** By its whole id: what a person may abbreviate, a program does not. */
const recordedSession = Effect.fnUntraced(function* (config: LoadedConfig, { recorded, sessionId }: HostedRequest) {
  const folder = config.storage.knownProjectTempDir()
  const [entry] = folder === undefined ? [] : yield* sessionsOfId(folder, sessionId)
  if (entry === undefined && recorded === "if-there") return undefined
  if (entry === undefined) return yield* sessionNotFound(sessionId, FAULT.notFound)
  const session = yield* planSession({
    options: { resume: sessionId, continue: false, fork: false },
    config,
    isInteractive: true,
    freshId: SessionId.make(sessionId)
  })
  const { messages } = yield* readWholeSession(entry.file)
  return { session, messages }
})
