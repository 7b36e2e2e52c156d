/**
 * The hub with servers: starts those that may start, side by side, and keeps them until the run ends. One that fails
 * costs nobody else anything.
 */
import { Deferred, Effect, Either, ExecutionStrategy, Layer, Ref, Scope } from "effect"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { type Admission, admit, serverId } from "./admission.ts"
import type { HubOptions } from "./from-config.ts"
import { placeOf } from "./mcp-context.ts"
import { McpError } from "./mcp-error.ts"
import { McpHub, type ServerView } from "./mcp-hub.ts"
import { readCompletion } from "./prompt.ts"
import { isChangeOnly, planServer, shownTarget } from "./server-config.ts"
import { makeSession, type ServerSession } from "./server-session.live.ts"
import { unknownServer } from "./unknown-server.ts"

/** A server that is configured; without a session where its settings cannot be used or it may not start. */
interface Member {
  readonly name: string
  readonly view: Effect.Effect<ServerView>
  readonly session: ServerSession | undefined
}

export const layer = (options: HubOptions) =>
  Layer.scoped(
    McpHub,
    Effect.gen(function* () {
      const listeners = yield* Ref.make<ReadonlyArray<(view: ServerView) => Effect.Effect<void>>>([])
      const inOrder = yield* Effect.makeSemaphore(1)
      const publish = (view: ServerView) =>
        inOrder.withPermits(1)(
          Effect.flatMap(Ref.get(listeners), (all) => Effect.forEach(all, (tell) => tell(view), { discard: true }))
        )
      const settled = yield* Deferred.make<void>()
      // Ending them one after the other would add up.
      const together = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
      const members = yield* Effect.forEach(Object.entries(options.servers), ([name, settings]) =>
        makeMember(name, settings, options, publish).pipe(Scope.extend(together))
      )

      const find = (name: string) => {
        const member =
          members.find((one) => one.name === name) ?? members.find((one) => serverId(one.name) === serverId(name))
        return member === undefined ? Effect.fail(unknownServer(name)) : Effect.succeed(member)
      }
      const sessionOf = (name: string) =>
        Effect.flatMap(find(name), ({ session, view }) =>
          session === undefined
            ? Effect.flatMap(view, (state) => Effect.fail(unusable(state)))
            : Effect.succeed(session)
        )

      yield* Effect.forEach(members, ({ session, view }) => openIfAdmitted(session, view), {
        concurrency: "unbounded",
        discard: true
      }).pipe(Effect.zipRight(Deferred.succeed(settled, undefined)), Effect.forkScoped)

      return McpHub.of({
        servers: Effect.forEach(members, ({ view }) => view),
        settled: Deferred.await(settled),
        follow: Effect.fnUntraced(function* (listener) {
          yield* inOrder.withPermits(1)(
            Effect.gen(function* () {
              yield* Effect.forEach(members, ({ view }) => Effect.flatMap(view, listener), { discard: true })
              yield* Ref.update(listeners, (all) => [...all, listener])
            })
          )
        }),
        // Not traced: the tool that calls has a span of its own, and thousands of calls would pay for another.
        callTool: Effect.fnUntraced(function* ({ args, onProgress, server, tool }) {
          const session = yield* sessionOf(server)
          yield* session.markUsed(tool)
          return yield* session.use(({ request }) =>
            request("tools/call", { name: tool, arguments: args }, { during: `calling ${tool}`, onProgress })
          )
        }),
        readResource: Effect.fn("McpHub.readResource")(function* (server, uri) {
          const session = yield* sessionOf(server)
          return yield* session.use(({ request }) => request("resources/read", { uri }, { during: `reading ${uri}` }))
        }),
        getPrompt: Effect.fn("McpHub.getPrompt")(function* (server, name, args) {
          const session = yield* sessionOf(server)
          return yield* session.use(({ request }) =>
            request("prompts/get", { name, arguments: args }, { during: `asking for the prompt ${name}` })
          )
        }),
        complete: Effect.fn("McpHub.complete")(function* (server, prompt, argument) {
          const session = yield* sessionOf(server)
          return yield* session.use(({ canComplete, request }) =>
            canComplete
              ? request(
                  "completion/complete",
                  { ref: { type: "ref/prompt", name: prompt }, argument },
                  { during: `completing ${argument.name}` }
                ).pipe(Effect.map(readCompletion))
              : Effect.succeed([])
          )
        }),
        rootsChanged: Effect.forEach(members, ({ session }) => session?.rootsChanged ?? Effect.void, { discard: true }),
        reload: Effect.fn("McpHub.reload")(function* (name) {
          const wanted = name === undefined ? members : [yield* find(name)]
          yield* Effect.forEach(
            wanted,
            ({ session, view }) =>
              session === undefined
                ? Effect.void
                : Effect.flatMap(view, ({ status }) =>
                    status === "disabled" || status === "blocked"
                      ? Effect.void
                      : Effect.zipRight(session.close("disconnected", undefined), session.open)
                  ),
            { concurrency: "unbounded", discard: true }
          )
        }),
        logIn: Effect.fn("McpHub.logIn")(function* (name) {
          const session = yield* sessionOf(name)
          yield* session.logIn
          yield* session.close("disconnected", undefined)
          yield* session.open
        }),
        setEnabled: Effect.fn("McpHub.setEnabled")(function* (name, isEnabled) {
          const session = yield* sessionOf(name)
          const { status } = yield* session.view
          if (status === "blocked") return yield* unusable(yield* session.view)
          if (isEnabled && status !== "disabled") return
          yield* session.close("disabled", "it is off for this session")
          if (!isEnabled) return
          yield* session.close("disconnected", undefined)
          yield* session.open
        })
      })
    })
  )

const UNNEEDED: Admission = {
  status: "disabled",
  because: "it only changes a server of an extension that is not in use"
}

const makeMember = Effect.fnUntraced(function* (
  name: string,
  settings: McpServer,
  options: HubOptions,
  publish: (view: ServerView) => Effect.Effect<void>
) {
  const origin = Object.hasOwn(options.origins ?? {}, name) ? options.origins?.[name] : undefined
  const planned = planServer(name, settings, { ...options.surroundings, origin, sandbox: options.sandboxFor?.(name) })
  const admission = isChangeOnly(settings) ? UNNEEDED : admit(name, options.rules)
  const base: ServerView = {
    name,
    status: admission.status === "admitted" ? "disconnected" : admission.status,
    transport: Either.getOrUndefined(planned)?.transport.kind,
    target: shownTarget(settings),
    description: settings.description,
    extension: origin?.extension,
    hasLogin: settings.oauth?.enabled === true,
    place: placeOf(settings),
    error: Either.isLeft(planned) && admission !== UNNEEDED ? planned.left : undefined,
    because: admission.status === "admitted" ? undefined : admission.because,
    tools: [],
    prompts: [],
    resources: [],
    leftOut: [],
    instructions: undefined,
    warnings: Either.isRight(planned) ? planned.right.warnings : []
  }
  if (Either.isLeft(planned)) return { name, view: Effect.succeed(base), session: undefined } satisfies Member
  const { http, isChanged, notice, roots, version } = options
  const session = yield* makeSession(planned.right, base, {
    version,
    roots,
    http,
    publish,
    notice,
    ...(isChanged === undefined ? {} : { isChanged: () => isChanged(name) })
  })
  return { name, view: session.view, session } satisfies Member
})

const openIfAdmitted = (session: ServerSession | undefined, view: Effect.Effect<ServerView>) =>
  Effect.flatMap(view, ({ status }) =>
    session === undefined || status === "blocked" || status === "disabled" ? Effect.void : session.open
  )

const unusable = ({ because, error, name, status }: ServerView): McpError =>
  error ??
  new McpError({ server: name, kind: "closed", detail: `is ${status}${because === undefined ? "" : `: ${because}`}` })
