/**
 * `gemini --acp`: this agent behind an editor, over the Agent Client Protocol on standard input and output. Every session
 * has a scope of its own; they share the connection and the process, and nothing else. The end of the input ends them all.
 */
import { type AgentContext, type AnyMessage, agent, RequestError } from "@agentclientprotocol/sdk"
import { Cause, type Duration, Effect, Either, Exit, Option, Runtime, type Schema, Scope } from "effect"
import { makeIdleTidying, makeTidyMemory } from "../system/memory.ts"
import { configOptions, modelsOf, modesOf } from "./choices.ts"
import type { EditorAbilities, EditorClient } from "./editor-client.ts"
import { EditorFault, FAULT, invalidParams, sessionNotFound } from "./editor-fault.ts"
import type { EditorHost, OpenRequest } from "./editor-host.ts"
import { authMethods, type PersonOf } from "./introduction.ts"
import * as Requests from "./requests.ts"
import { type EditorSession, makeSession, type PromptAnswer } from "./session.ts"
import { MAX_LINE_BYTES, stdioStream } from "./stdio-stream.ts"
import { replayOf } from "./updates.ts"

export interface AcpOptions {
  readonly input: ReadableStream<Uint8Array>
  /** Writes to standard output. */
  readonly write: (text: string) => Effect.Effect<void, unknown>
  /** Who is asked in a session. */
  readonly personOf: PersonOf
}

interface Opened {
  readonly session: EditorSession
  readonly scope: Scope.CloseableScope
}

/** Sessions and their servers have this long to end. */
const GRACE = "1200 millis"
/** Requests that were made before the input ended are answered in this time, or not at all. */
const LAST_ANSWERS = "1500 millis"
/** For files. */
const FILE_WAIT = "30 seconds"
/** A person may sleep over a question; who has not answered by then has not agreed. */
const ANSWER_WAIT = "24 hours"
/** Escapes double a text at most, but for control characters. */
const MAX_FILE_CHARACTERS = MAX_LINE_BYTES / 4
/** Opening a session leaves more behind than it keeps, and so does a prompt. */
const SESSIONS_BETWEEN_COLLECTIONS = 2
const IDLE = "100 millis"
const PAGE = 50

const NO_ABILITIES: EditorAbilities = {
  readsFiles: false,
  writesFiles: false,
  takesForms: false,
  takes: { notices: false, compaction: false }
}

/** Ends when the editor closes the input or stops reading. */
export const serveAcp = Effect.fn("Acp.serve")(function* (host: EditorHost, { input, personOf, write }: AcpOptions) {
  const runtime = yield* Effect.runtime<never>()
  const sessions = new Map<string, Opened>()
  const afterAnswer = new Map<string, Effect.Effect<void>>()
  let abilities = NO_ABILITIES
  let isInitialized = false
  let isEnding = false
  const tidyMemory = yield* makeTidyMemory(SESSIONS_BETWEEN_COLLECTIONS)
  const { postpone, whenIdle } = yield* makeIdleTidying(IDLE)

  const run = <A>(effect: Effect.Effect<A>) => Runtime.runPromise(runtime)(effect)
  const stream = stdioStream({
    input,
    send: (line) => Runtime.runPromise(runtime)(write(line)),
    onSent: (sent: AnyMessage) => {
      const next = "method" in sent ? undefined : afterAnswer.get(String(sent.id))
      if (next === undefined) return
      afterAnswer.delete(String("id" in sent ? sent.id : ""))
      void run(next)
    },
    // Whoever asked and closed the line still hears the answers that are near; prompts are not.
    onEnd: (answered) => {
      isEnding = true
      const cancelAll = Effect.forEach([...sessions.values()], ({ session }) => session.cancel, {
        concurrency: "unbounded",
        discard: true
      })
      return run(
        Effect.zipRight(
          cancelAll,
          Effect.promise(() => answered)
        ).pipe(Effect.timeoutOption(LAST_ANSWERS), Effect.asVoid)
      )
    }
  })

  const clientOf = (connection: AgentContext, sessionId: string): EditorClient => {
    const request = <A>(ask: (signal: AbortSignal) => Promise<A>) =>
      Effect.tryPromise({ try: ask, catch: (cause) => faultOf(cause) })
    const waiting = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true })
    const within = (duration: string & Duration.DurationInput) =>
      Effect.timeoutFail({
        duration,
        onTimeout: () =>
          new EditorFault({ code: FAULT.internal, message: `the editor did not answer within ${duration}` })
      })
    return {
      sessionId,
      abilities,
      // Whoever does not listen any more is noticed by the end of the connection.
      update: (update) =>
        Effect.ignore(Effect.tryPromise(() => connection.notify("session/update", { sessionId, update }))),
      askPermission: (question) =>
        request((signal) =>
          connection.request("session/request_permission", { sessionId, ...question }, waiting(signal))
        ).pipe(within(ANSWER_WAIT)),
      askForm: (form) =>
        request((signal) => connection.request("elicitation/create", form, waiting(signal))).pipe(within(ANSWER_WAIT)),
      readFile: (path) =>
        request((signal) => connection.request("fs/read_text_file", { sessionId, path }, waiting(signal))).pipe(
          Effect.map(({ content }) => content),
          within(FILE_WAIT)
        ),
      writeFile: (path, content) =>
        content.length > MAX_FILE_CHARACTERS
          ? new EditorFault({ code: FAULT.internal, message: "the file is too large to be written by the editor" })
          : request((signal) =>
              connection.request("fs/write_text_file", { sessionId, path, content }, waiting(signal))
            ).pipe(Effect.asVoid, within(FILE_WAIT))
    }
  }

  const close = Effect.fnUntraced(function* (sessionId: string) {
    const opened = sessions.get(sessionId)
    if (opened === undefined) return false
    sessions.delete(sessionId)
    yield* opened.session.cancel
    yield* Scope.close(opened.scope, Exit.void)
    yield* whenIdle
    return true
  })

  const open = Effect.fnUntraced(function* (
    connection: AgentContext,
    request: Omit<OpenRequest, "person">,
    options: { readonly replays: boolean }
  ) {
    yield* close(request.sessionId)
    const client = clientOf(connection, request.sessionId)
    const scope = yield* Scope.make()
    const session = yield* Effect.gen(function* () {
      const opened = yield* host.open({ ...request, person: (config) => personOf(client, config) })
      const made = yield* makeSession(opened, client)
      if (options.replays) yield* Effect.forEach(replayOf(opened.recorded, made.cwd), client.update, { discard: true })
      return made
    }).pipe(
      Scope.extend(scope),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
    sessions.set(request.sessionId, { session, scope })
    yield* Effect.zipRight(tidyMemory, whenIdle)
    const choices = yield* session.choices
    return {
      session,
      answer: { modes: modesOf(choices), models: modelsOf(choices), configOptions: configOptions(choices) }
    }
  })

  const placeOf = ({ additionalDirectories, cwd, mcpServers }: typeof Requests.NewSession.Type) => ({
    cwd,
    directories: additionalDirectories ?? [],
    servers: Requests.serversOf(mcpServers ?? [], cwd)
  })

  const sessionOf = (sessionId: string): Either.Either<EditorSession, EditorFault> => {
    const opened = sessions.get(sessionId)
    return opened === undefined ? Either.left(sessionNotFound(sessionId)) : Either.right(opened.session)
  }

  const app = agent({ name: "gemini" })

  /** Faults become errors of the protocol; what is cancelled says so. */
  const on = <A, I, B>(
    method: string,
    schema: Schema.Schema<A, I>,
    handle: (params: A, around: { readonly client: AgentContext; readonly id: string }) => Effect.Effect<B, EditorFault>
  ) =>
    app.onRequest(
      method,
      (params: unknown) => params,
      async ({ client, params, requestId, signal }) => {
        if (!isInitialized && method !== "initialize") {
          throw new RequestError(FAULT.invalidRequest, `ACP connection must be initialized before '${method}'`)
        }
        const handled = Effect.flatMap(Requests.decodeRequest(schema)(params ?? {}), (decoded) =>
          handle(decoded, { client, id: String(requestId) })
        )
        const exit = await Runtime.runPromiseExit(runtime)(handled, { signal })
        // A prompt that is cancelled has an answer of its own.
        if (Exit.isInterrupted(exit) && method === "session/prompt") return CANCELLED
        if (Exit.isSuccess(exit)) return exit.value
        throw requestErrorOf(exit.cause)
      }
    )

  on("initialize", Requests.Initialize, ({ clientCapabilities }) =>
    Effect.sync(() => {
      isInitialized = true
      const { elicitation, fs, session } = clientCapabilities ?? {}
      abilities = {
        readsFiles: fs?.readTextFile === true,
        writesFiles: fs?.writeTextFile === true,
        takesForms: elicitation?.form != null,
        takes: { notices: session?.notices != null, compaction: session?.compaction != null }
      }
      return {
        protocolVersion: 1,
        agentInfo: { name: "gemini-cli", title: "Gemini CLI", version: host.version },
        authMethods,
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
          auth: { logout: {} }
        }
      }
    })
  )
  on("authenticate", Requests.Authenticate, ({ _meta, methodId }) =>
    Effect.as(
      host.authenticate(methodId, { apiKey: _meta?.["api-key"] ?? undefined, gateway: _meta?.gateway ?? undefined }),
      {}
    )
  )
  on("logout", Requests.ListSessions, () => Effect.as(host.logOut, {}))
  on("session/new", Requests.NewSession, (params, { client, id }) =>
    Effect.gen(function* () {
      const sessionId = crypto.randomUUID()
      const { answer, session } = yield* open(
        client,
        { sessionId, isRecorded: false, ...placeOf(params) },
        { replays: false }
      )
      afterAnswer.set(id, session.tellCommands)
      return { sessionId, ...answer }
    })
  )
  for (const method of ["session/load", "session/resume"] as const) {
    on(method, Requests.LoadSession, ({ sessionId, ...params }, { client, id }) =>
      Effect.gen(function* () {
        const request = { sessionId, isRecorded: true, ...placeOf(params) }
        const { answer, session } = yield* open(client, request, { replays: method === "session/load" })
        afterAnswer.set(id, session.tellCommands)
        return answer
      })
    )
  }
  on("session/list", Requests.ListSessions, ({ cursor, cwd }) =>
    Effect.flatMap(host.list(cwd ?? undefined), (all) => {
      const from = cursor == null ? 0 : Number(cursor)
      if (!Number.isInteger(from) || from < 0) return invalidParams(`Unknown cursor: ${cursor}`)
      return Effect.succeed({
        sessions: all.slice(from, from + PAGE),
        ...(from + PAGE < all.length ? { nextCursor: String(from + PAGE) } : {})
      })
    })
  )
  on("session/close", Requests.OfSession, ({ sessionId }) =>
    Effect.flatMap(close(sessionId), (wasOpen) =>
      wasOpen ? Effect.succeed({}) : Effect.fail(sessionNotFound(sessionId))
    )
  )
  on("session/delete", Requests.OfSession, ({ sessionId }) =>
    Effect.as(Effect.zipRight(close(sessionId), host.deleteSession(sessionId)), {})
  )
  on("session/set_mode", Requests.SetMode, ({ modeId, sessionId }) =>
    Effect.as(
      Effect.flatMap(sessionOf(sessionId), (session) => session.setMode(modeId)),
      {}
    )
  )
  on("session/set_model", Requests.SetModel, ({ modelId, sessionId }) =>
    Effect.as(
      Effect.flatMap(sessionOf(sessionId), (session) => session.setModel(modelId)),
      {}
    )
  )
  on("session/set_config_option", Requests.SetOption, ({ configId, sessionId, value }) =>
    Effect.gen(function* () {
      const session = yield* sessionOf(sessionId)
      if (typeof value !== "string") return yield* invalidParams(`The value of ${configId} must be one of its options`)
      if (configId === "mode") yield* session.setMode(value)
      else if (configId === "model") yield* session.setModel(value)
      else return yield* invalidParams(`Unknown option: ${configId}`)
      return { configOptions: configOptions(yield* session.choices) }
    })
  )
  on("session/prompt", Requests.PromptRequest, ({ prompt, sessionId }) =>
    Effect.flatMap(sessionOf(sessionId), (session) =>
      isEnding
        ? Effect.succeed(CANCELLED)
        : postpone.pipe(Effect.zipRight(session.prompt(prompt)), Effect.ensuring(whenIdle))
    )
  )
  app.onNotification(
    "session/cancel",
    (params: unknown) => params,
    ({ params }) => {
      const decoded = Requests.decodeRequest(Requests.OfSession)(params)
      const session = Either.flatMap(decoded, ({ sessionId }) => sessionOf(sessionId))
      return Either.isRight(session) ? run(session.right.cancel) : undefined
    }
  )
  app.onNotification("*", () => {})

  yield* Effect.acquireUseRelease(
    Effect.sync(() => app.connect(stream)),
    (connection) => Effect.promise(() => connection.closed),
    (connection) =>
      Effect.sync(() => connection.close()).pipe(
        Effect.zipRight(Effect.forEach([...sessions.keys()], close, { concurrency: "unbounded", discard: true })),
        Effect.interruptible,
        Effect.timeoutOption(GRACE)
      )
  )
})

const CANCELLED: PromptAnswer = { stopReason: "cancelled" }

const faultOf = (cause: unknown): EditorFault =>
  cause instanceof RequestError
    ? new EditorFault({ code: cause.code, message: cause.message, data: cause.data })
    : new EditorFault({ code: FAULT.internal, message: cause instanceof Error ? cause.message : String(cause) })

const requestErrorOf = (cause: Cause.Cause<EditorFault>): RequestError => {
  const fault = Cause.failureOption(cause)
  if (Option.isSome(fault)) return new RequestError(fault.value.code, fault.value.message, fault.value.data)
  if (Cause.isInterrupted(cause)) return new RequestError(FAULT.cancelled, "Request cancelled")
  const [first] = Cause.prettyErrors(cause)
  return new RequestError(FAULT.internal, "Internal error", { details: first?.message ?? "unknown" })
}
