/**
 * The life of one server: connecting, listing, following its changes, losing it and finding it again. Nothing here
 * fails: what goes wrong is part of the view that everybody sees, and an error of the call that met it.
 */
import { Effect, Exit, Option, Ref, Schedule, Scope } from "effect"
import { type Connection, type ConnectOptions, connect, type ListKind } from "./connection.live.ts"
import type { HubOptions } from "./from-config.ts"
import { readPrompts, readResources, readTools } from "./listing.ts"
import { McpError } from "./mcp-error.ts"
import type { McpAnswer, ServerView } from "./mcp-hub.ts"
import type { OrphanGuard } from "./orphan-guard.ts"
import { ServerAuth } from "./server-auth.ts"
import type { ServerPlan } from "./server-config.ts"
import { makeSingleFlight } from "./single-flight.ts"
import { changedTools } from "./tool-changes.ts"

export interface SessionOptions extends Omit<ConnectOptions, "onListChanged"> {
  /** Called with every change, one at a time. */
  readonly publish: (view: ServerView) => Effect.Effect<void>
  readonly notice: HubOptions["notice"]
  /** What it runs is not what was agreed to. */
  readonly isChanged?: () => boolean
}

export interface ServerSession {
  readonly view: Effect.Effect<ServerView>
  /** Connects and lists; ends when it is known what came of it. */
  readonly open: Effect.Effect<void>
  /** Leaves the server in this state, with nothing to offer. */
  readonly close: (status: "disconnected" | "disabled", because: string | undefined) => Effect.Effect<void>
  /** With a connection, which is made again if it was lost. */
  readonly use: <A>(work: (connection: Connection) => Effect.Effect<A, McpError>) => Effect.Effect<A, McpError>
  readonly rootsChanged: Effect.Effect<void>
  /** Lets the person log in; the connection is not touched. */
  readonly logIn: Effect.Effect<void, McpError>
  /** Somebody relies on what this tool said of itself. */
  readonly markUsed: (tool: string) => Effect.Effect<void>
}

/** A lost server gets this many new chances when somebody needs it. */
const RECONNECT = Schedule.intersect(Schedule.exponential("200 millis"), Schedule.recurs(2))

interface Live {
  readonly connection: Connection
  readonly scope: Scope.CloseableScope
}

const NOTHING_OFFERED = { tools: [], prompts: [], resources: [], leftOut: [], instructions: undefined } as const

export const makeSession = Effect.fnUntraced(function* (plan: ServerPlan, first: ServerView, options: SessionOptions) {
  const parent = yield* Effect.scope
  const services = yield* Effect.context<OrphanGuard | ServerAuth>()
  const state = yield* Ref.make(first)
  const live = yield* Ref.make(Option.none<Live>())
  const used = yield* Ref.make<ReadonlySet<string>>(new Set())
  const gate = yield* Effect.makeSemaphore(1)

  const update = (change: Partial<ServerView>) =>
    Effect.flatMap(
      Ref.updateAndGet(state, (view) => ({ ...view, ...change })),
      options.publish
    )

  const drop = Effect.gen(function* () {
    const before = yield* Ref.getAndSet(live, Option.none())
    if (Option.isSome(before)) yield* Scope.close(before.value.scope, Exit.void)
  })

  const relist = Effect.fnUntraced(function* (connection: Connection, kind: ListKind) {
    const before = yield* Ref.get(state)
    const asked = offerOf(plan, connection, kind)
    const first = yield* asked
    // Some servers announce a change before they have made it.
    const offer =
      JSON.stringify(first[kind]) === JSON.stringify(before[kind]) ? yield* Effect.delay(asked, "500 millis") : first
    yield* update(offer)
    yield* options.notice("info", `MCP server "${plan.name}" updated its ${kind}`)
    const names = yield* Ref.get(used)
    const altered = changedTools(before.tools, offer.tools ?? before.tools).filter((name) => names.has(name))
    for (const name of altered) {
      yield* options.notice("warning", `MCP server "${plan.name}" changed its tool ${name} after it was used`)
    }
  })

  const refresh = yield* makeSingleFlight(
    Effect.fnUntraced(function* (kind: ListKind) {
      const current = yield* Ref.get(live)
      if (Option.isNone(current)) return
      yield* relist(current.value.connection, kind).pipe(Effect.catchTag("McpError", (error) => update({ error })))
    })
  )

  /** Without the gate. */
  const attempt = Effect.gen(function* () {
    yield* drop
    if (options.isChanged?.() === true) return yield* changed(plan.name)
    yield* update({ status: "connecting" })
    const scope = yield* Scope.fork(parent, parent.strategy)
    const opening = Effect.gen(function* () {
      const connection = yield* connectSigned(plan, { ...options, onListChanged: refresh })
      return { connection, offers: yield* discover(plan, connection) }
    })
    const exit = yield* opening.pipe(Scope.extend(scope), Effect.provide(services), Effect.exit)
    if (Exit.isFailure(exit)) {
      yield* Scope.close(scope, Exit.void)
      return yield* Effect.failCause(exit.cause)
    }
    const { connection, offers } = exit.value
    yield* Ref.set(live, Option.some({ connection, scope }))
    yield* Effect.forkIn(watch(connection), scope)
    yield* update({ ...offers, status: "connected", transport: connection.transport, error: undefined })
    return connection
  }).pipe(Effect.tapErrorTag("McpError", (error) => update({ status: "disconnected", error })))

  /** Its tools stay known: calling one finds the server again. */
  const watch = (connection: Connection) =>
    Effect.gen(function* () {
      const error = yield* connection.gone
      const current = yield* Ref.get(live)
      if (Option.isNone(current) || current.value.connection !== connection) return
      // Closing the scope would interrupt this very fiber.
      yield* Effect.forkIn(Effect.zipRight(drop, update({ status: "disconnected", error })), parent)
    })

  const connected = gate.withPermits(1)(
    Effect.gen(function* () {
      const current = yield* Ref.get(live)
      if (Option.isSome(current)) return current.value.connection
      const { because, status } = yield* Ref.get(state)
      if (status === "blocked" || status === "disabled") {
        return yield* new McpError({ server: plan.name, kind: "closed", detail: `is ${status}: ${because ?? ""}` })
      }
      return yield* Effect.retry(attempt, { schedule: RECONNECT, while: isWorthRetrying })
    })
  )

  return {
    view: Ref.get(state),
    open: gate.withPermits(1)(Effect.ignore(attempt)),
    close: (status, because) =>
      gate.withPermits(1)(Effect.zipRight(drop, update({ ...NOTHING_OFFERED, status, because, error: undefined }))),
    use: (work) =>
      Ref.get(live).pipe(
        Effect.flatMap((current) =>
          Option.isSome(current) ? work(current.value.connection) : Effect.flatMap(connected, work)
        ),
        Effect.catchIf(isLostSession, () => Effect.zipRight(gate.withPermits(1)(drop), Effect.flatMap(connected, work)))
      ),
    rootsChanged: Effect.flatMap(
      Ref.get(live),
      Option.match({ onNone: () => Effect.void, onSome: ({ connection }) => connection.rootsChanged })
    ),
    logIn: Effect.flatMap(ServerAuth, (auth) => auth.logIn(plan)).pipe(Effect.provide(services)),
    markUsed: (tool: string) => Ref.update(used, (names) => (names.has(tool) ? names : new Set([...names, tool])))
  } satisfies ServerSession
})

/** The files of the project may be written by the model. */
const changed = (server: string) =>
  new McpError({
    server,
    kind: "config",
    detail: "is not started: what it runs has changed since it was accepted",
    hint: "Start gemini anew to be asked about it."
  })

/** A refused login is renewed once, where that is possible without a person. */
const connectSigned = Effect.fnUntraced(function* (plan: ServerPlan, options: ConnectOptions) {
  const auth = yield* ServerAuth
  return yield* Effect.catchIf(
    connect(plan, options),
    ({ kind }) => kind === "unauthorized",
    (refusal) =>
      Effect.flatMap(auth.renew(plan, refusal), (isRenewed) =>
        isRenewed ? connect(plan, options) : Effect.fail(refusal)
      )
  )
})

const discover = Effect.fnUntraced(function* (plan: ServerPlan, connection: Connection) {
  const prompts = yield* offerOf(plan, connection, "prompts")
  const tools = yield* offerOf(plan, connection, "tools")
  const resources = yield* offerOf(plan, connection, "resources")
  const offers = { ...prompts, ...tools, ...resources, instructions: connection.instructions }
  const isEmpty = [offers.tools, offers.prompts, offers.resources, offers.leftOut].every((list) => list?.length === 0)
  if (isEmpty) {
    return yield* new McpError({
      server: plan.name,
      kind: "protocol",
      detail: "offers neither tools nor prompts nor resources"
    })
  }
  return offers
})

const offerOf = (
  plan: ServerPlan,
  connection: Connection,
  kind: ListKind
): Effect.Effect<Partial<Pick<ServerView, ListKind | "leftOut">>, McpError> =>
  Effect.map(listAll(plan.name, connection, kind), (listed) => {
    if (kind === "prompts") return { prompts: readPrompts(plan.name, listed).entries }
    if (kind === "resources") return { resources: readResources(plan.name, listed).entries }
    const { entries, leftOut } = readTools(plan.name, listed, plan.settings)
    return { tools: entries, leftOut }
  })

const isWorthRetrying = ({ kind }: McpError): boolean =>
  kind === "exited" || kind === "network" || kind === "closed" || kind === "http"

/** The server has forgotten the session, so it has not carried out the request either. */
const isLostSession = ({ kind, status }: McpError): boolean => kind === "http" && status === 404

/** A server that always names a next page would be asked for ever. */
const MAX_PAGES = 1000

/** Everything of one kind; nothing where the server does not offer the kind. */
export const listAll = Effect.fnUntraced(function* (server: string, connection: Connection, kind: ListKind) {
  if (!connection.offers.has(kind)) return []
  const found: Array<unknown> = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: McpAnswer = yield* connection.request(`${kind}/list`, cursor === undefined ? {} : { cursor }, {
      during: `listing its ${kind}`
    })
    const entries = answer[kind]
    if (!Array.isArray(entries)) {
      return yield* new McpError({ server, kind: "protocol", detail: `did not answer with a list of ${kind}` })
    }
    for (const entry of entries) found.push(entry)
    const { nextCursor } = answer
    if (typeof nextCursor !== "string" || nextCursor === "" || nextCursor === cursor) return found
    cursor = nextCursor
  }
  return found
})
