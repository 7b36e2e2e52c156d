/**
 * The companion as the program knows it: looked for in the background, heard while it is there, and said to be gone once.
 * Everything that waits for it has a bound.
 */
import { Duration, Effect, Exit, Layer, Option, Queue, Ref, Scope, Stream, SubscriptionRef } from "effect"
import { lazy } from "../kernel/lazy.ts"
import * as OrphanGuard from "../mcp/orphan-guard.ts"
import { type DiscoveryPlace, discoverCompanion, type FoundCompanion } from "./companion-discovery.ts"
import { makeDiffDesk } from "./diff-desk.ts"
import { type EditorContext, readContext } from "./editor-context.ts"
import {
  type CompanionEvent,
  type CompanionLink,
  type CompanionStatus,
  type CompanionView,
  OFF_REASON
} from "./ide-companion.ts"

export interface CompanionOptions extends DiscoveryPlace {
  /** `ide.enabled`: it is looked for at once. */
  readonly isEnabled: boolean
  readonly platform: NodeJS.Platform
}

interface State {
  readonly status: CompanionStatus
  readonly context: EditorContext | undefined
  /** Whether it was given the moment to say what is open. */
  readonly wasAwaited: boolean
  readonly loss: "none" | "lost" | "looked-for"
  readonly connection: { readonly link: CompanionLink; readonly scope: Scope.CloseableScope } | undefined
}

const CONNECT_WITHIN = "2 seconds"
/** For the first word of a companion. */
const MOMENT = Duration.millis(500)
/** For the farewell of an open diff. */
const CLOSE_WITHIN = Duration.millis(500)

const disconnected = (reason: string): State => ({
  status: { _tag: "Disconnected", reason },
  context: undefined,
  wasAwaited: false,
  loss: "none",
  connection: undefined
})

const looking: State = { ...disconnected(""), status: { _tag: "Connecting" } }

/** Belongs to the scope. */
export const makeCompanion = Effect.fn("Ide.make")(function* (
  options: CompanionOptions
): Effect.fn.Return<CompanionView, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const guard = yield* Layer.build(options.platform === "win32" ? OrphanGuard.layerNone : OrphanGuard.layer)
  const state = yield* SubscriptionRef.make(options.isEnabled ? looking : disconnected(OFF_REASON))
  const gate = yield* Effect.makeSemaphore(1)
  const events = yield* Queue.sliding<CompanionEvent>(8)
  const hasBegun = yield* Ref.make(!options.isEnabled)
  const hasSaidLoss = yield* Ref.make(false)
  const desk = yield* makeDiffDesk({
    closeWithin: CLOSE_WITHIN,
    link: Effect.map(SubscriptionRef.get(state), ({ connection }) => connection?.link)
  })

  const onNotification = (method: string, params: unknown): Effect.Effect<void> => {
    if (method !== "ide/contextUpdate") return desk.hear(method, params)
    const context = readContext(params)
    return context._tag === "None"
      ? Effect.void
      : SubscriptionRef.update(state, (now) =>
          now.connection === undefined ? now : { ...now, context: context.value }
        )
  }

  const leave = (next: State) =>
    Effect.flatMap(SubscriptionRef.getAndSet(state, next), ({ connection }) =>
      connection === undefined ? Effect.void : Scope.close(connection.scope, Exit.void)
    )

  const onLoss = Effect.fnUntraced(function* (name: string) {
    const lost: State = { ...disconnected(`the connection to ${name} was lost`), loss: "lost" }
    if (!(yield* Ref.getAndSet(hasSaidLoss, true))) yield* Queue.offer(events, { _tag: "Lost", name })
    // Not in the scope of the connection, which ends with this.
    yield* Effect.forkIn(leave(lost), scope)
  })

  const open = (found: FoundCompanion) => Effect.uninterruptibleMask((restore) => openWith(found, restore))
  const openWith = Effect.fnUntraced(function* (
    found: FoundCompanion,
    restore: <A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) {
    const { openLink } = yield* lazy(() => import("./companion-link.live.ts"))
    const own = yield* Scope.make()
    const heard = yield* Queue.unbounded<readonly [string, unknown]>()
    const linking = openLink(found, { place: options, onNotification: (...one) => void heard.unsafeOffer(one) })
    const link = yield* restore(linking).pipe(
      Effect.timeoutFail({ duration: CONNECT_WITHIN, onTimeout: () => ({ detail: "it does not answer" }) }),
      Effect.provide(guard),
      Scope.extend(own),
      Effect.onError(() => Scope.close(own, Exit.void))
    )
    yield* SubscriptionRef.set(state, {
      ...disconnected(""),
      status: { _tag: "Connected", name: found.name },
      connection: { link, scope: own }
    })
    const hearing = Effect.forever(Effect.flatMap(Queue.take(heard), (one) => onNotification(...one)))
    yield* Effect.forkIn(Effect.interruptible(hearing), own)
    yield* Effect.forkIn(Effect.interruptible(Effect.zipRight(link.lost, onLoss(found.name))), own)
    const when = (yield* Ref.getAndSet(hasBegun, true)) ? "session" : "start"
    yield* Queue.offer(events, { _tag: "Connected", when })
  })

  const connect = gate.withPermits(1)(
    Effect.gen(function* () {
      const before = yield* SubscriptionRef.get(state)
      if (before.connection !== undefined) return before.status
      const loss = before.loss === "none" ? ("none" as const) : ("looked-for" as const)
      const found = yield* Effect.sync(() => discoverCompanion(options))
      const failed =
        found._tag === "Missing"
          ? found.reason
          : yield* Effect.match(open(found), {
              onFailure: ({ detail }) => `${found.name} cannot be reached: ${detail}`,
              onSuccess: () => undefined
            })
      if (failed !== undefined) yield* SubscriptionRef.set(state, { ...disconnected(failed), loss })
      return (yield* SubscriptionRef.get(state)).status
    })
  )

  /** Given once to each connection: an editor may have nothing to say. */
  const awaitWord = Effect.gen(function* () {
    if ((yield* SubscriptionRef.get(state)).wasAwaited) return
    const hasSpoken = ({ context, status }: State) => context !== undefined || status._tag === "Disconnected"
    yield* state.changes.pipe(Stream.filter(hasSpoken), Stream.runHead, Effect.timeoutOption(MOMENT))
    yield* SubscriptionRef.update(state, (now) => ({ ...now, wasAwaited: now.connection !== undefined }))
  })

  const known = Effect.map(SubscriptionRef.get(state), ({ context }) => context)

  if (options.isEnabled) yield* Effect.forkScoped(connect)
  yield* Effect.addFinalizer(() => Effect.zipRight(desk.closeAll, leave(disconnected(""))))
  return {
    status: Effect.gen(function* () {
      const isSettled = ({ status }: State) => status._tag !== "Connecting"
      yield* state.changes.pipe(Stream.filter(isSettled), Stream.runHead, Effect.timeoutOption(CONNECT_WITHIN))
      return (yield* SubscriptionRef.get(state)).status
    }),
    connect: Effect.zipRight(Ref.set(hasSaidLoss, false), connect),
    // What is on its way to a connection gets there first.
    disconnect: gate.withPermits(1)(Effect.zipRight(desk.closeAll, leave(disconnected(OFF_REASON)))),
    known,
    context: Effect.gen(function* () {
      if ((yield* SubscriptionRef.get(state)).loss === "lost") yield* connect
      yield* awaitWord
      return yield* known
    }),
    trust: Effect.map(Effect.zipRight(awaitWord, known), (context) => context?.isTrusted),
    trustChanged: (from) =>
      state.changes.pipe(
        Stream.filterMap(({ context }) => Option.fromNullable(context?.isTrusted)),
        Stream.filter((isTrusted) => isTrusted !== from),
        Stream.runHead,
        Effect.flatMap(Option.match({ onNone: () => Effect.never, onSome: Effect.succeed }))
      ),
    openDiff: desk.open,
    happened: Queue.take(events)
  }
})
