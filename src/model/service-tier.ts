/**
 * The service tier of a run's requests. `flex` costs half and may queue for a quarter of an hour, `priority` is served
 * first and costs more; `auto` tries flex, and goes on at the standard tier for the rest of the run where flex refuses
 * three times in a row or does not begin to answer within ten minutes. Stands below the retries: each attempt is a request.
 */
import { Chunk, Duration, Effect, Either, ExecutionStrategy, Exit, Fiber, Mailbox, Option, Scope } from "effect"
import * as Flow from "../kernel/flow.ts"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import type { AuthType } from "../protocol/modes.ts"
import { type ServiceTier, type TierWish, tierNamed } from "../protocol/usage.ts"
import type { ModelError } from "../retry/model-error.ts"
import type { ModelChunk, ModelClient, ModelEvent, ModelRequest } from "./model-client.ts"

export interface TierOptions {
  readonly tier: TierWish
  readonly authType: AuthType
  /** A line for the person. */
  readonly say: (text: string) => Effect.Effect<void>
}

/** `batch` is no tier of a single request. */
type SentTier = Exclude<ServiceTier, "batch">

const REFUSALS = 3
/** Chunks that may wait for their reader. */
const AHEAD = 16
const PATIENCE = Duration.minutes(10)
const NOT_BEGUN = `flex did not begin to answer within ${Duration.format(PATIENCE)}`

export const withTier = (client: ModelClient["Type"], { authType, say, tier }: TierOptions): ModelClient["Type"] => {
  let isStandard = tier === "standard"
  let refusals = 0
  /** When the first of the requests was sent that flex has not answered; `undefined`: all are answered. */
  let since: number | undefined

  const patienceLeft = Effect.map(monotonicMillis, (now) => {
    since ??= now
    return Duration.millis(Math.max(0, since + Duration.toMillis(PATIENCE) - now))
  })
  const answered = Effect.sync(() => {
    refusals = 0
    since = undefined
  })
  /** Requests that run side by side come here each by itself; it is said once. */
  const goOnAtStandard = (because: string) =>
    Effect.suspend(() => {
      if (isStandard) return Effect.void
      isStandard = true
      return say(`--tier auto: ${because}; the run goes on at the standard tier and its price`)
    })
  /** Whether the request shall be sent at the standard tier now. */
  const isEnough = Effect.fnUntraced(function* (error: ModelError) {
    if (!isRefusal(error)) return false
    refusals += error.kind === "quota" ? REFUSALS : 1
    const isLate = Duration.lessThanOrEqualTo(yield* patienceLeft, Duration.zero)
    if (refusals < REFUSALS && !isLate) return false
    yield* goOnAtStandard(refusals < REFUSALS ? NOT_BEGUN : `flex refused (${error.message})`)
    return true
  })

  const streamAt = (request: ModelRequest, wanted: SentTier) =>
    Flow.map(
      client.stream(atTier(request, wanted, authType)),
      (event): ModelEvent => (event._tag === "Chunk" ? { ...event, chunk: marked(event.chunk, wanted) } : event)
    )
  const generateAt = (request: ModelRequest, wanted: SentTier) =>
    Effect.map(client.generate(atTier(request, wanted, authType)), (chunk) => marked(chunk, wanted))

  const streamFlex = (request: ModelRequest) =>
    Flow.unwrapScoped(
      Effect.map(
        firstOf(streamAt(request, "flex"), { limit: Duration.infinity, waiting: waitTold(request.model, say) }),
        Option.getOrElse(() => Flow.empty)
      )
    )

  const streamAuto = (request: ModelRequest) =>
    Flow.unwrapScoped(
      Effect.gen(function* () {
        const limit = yield* patienceLeft
        const flex = streamAt(request, "flex")
        const opened = yield* Effect.either(firstOf(flex, { limit, waiting: waitTold(request.model, say) }))
        if (Either.isLeft(opened)) {
          return (yield* isEnough(opened.left)) ? streamAt(request, "standard") : Flow.fail(opened.left)
        }
        if (Option.isSome(opened.right)) return yield* Effect.as(answered, opened.right.value)
        return yield* Effect.as(goOnAtStandard(NOT_BEGUN), streamAt(request, "standard"))
      })
    )

  const generateAuto = Effect.fnUntraced(function* (request: ModelRequest) {
    const limit = yield* patienceLeft
    const answer = yield* Effect.either(Effect.timeoutOption(generateAt(request, "flex"), limit))
    if (Either.isLeft(answer)) {
      return (yield* isEnough(answer.left)) ? yield* generateAt(request, "standard") : yield* answer.left
    }
    if (Option.isSome(answer.right)) return yield* Effect.as(answered, answer.right.value)
    return yield* Effect.zipRight(goOnAtStandard(NOT_BEGUN), generateAt(request, "standard"))
  })

  return {
    ...client,
    stream: (request) =>
      Flow.suspend(() => {
        if (isStandard) return streamAt(request, "standard")
        if (tier === "auto") return streamAuto(request)
        return tier === "flex" ? streamFlex(request) : streamAt(request, tier)
      }),
    generate: (request) =>
      Effect.suspend(() => {
        if (isStandard) return generateAt(request, "standard")
        return tier === "auto" ? generateAuto(request) : generateAt(request, tier)
      })
  }
}

/** The Gemini API reads the tier in the body, Vertex AI in headers. */
const atTier = (request: ModelRequest, tier: SentTier, authType: AuthType): ModelRequest => {
  if (authType === "vertex-ai") {
    return { ...request, routing: tier === "standard" ? {} : { requestType: "shared", sharedRequestType: tier } }
  }
  return tier === "standard" ? request : { ...request, config: { ...request.config, serviceTier: tier } }
}

/** The answer names its tier where the service says which it was; otherwise it is the one that was asked for. */
const marked = (chunk: ModelChunk, tier: ServiceTier): ModelChunk => {
  const { usageMetadata: usage } = chunk
  return usage === undefined || tierNamed(usage) !== undefined
    ? chunk
    : { ...chunk, usageMetadata: { ...usage, serviceTier: tier } }
}

const isRefusal = ({ kind, phase, status }: ModelError): boolean =>
  phase === "open" && (status === 429 || status === 503 || kind === "quota")

/** The answer once it has begun. `None`: it did not within the limit, and its connection is closed. */
const firstOf = <E>(
  answer: Flow.Flow<ModelEvent, E>,
  { limit, waiting }: { readonly limit: Duration.Duration; readonly waiting: Effect.Effect<void> }
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    const events = yield* Mailbox.make<ModelEvent, E>(AHEAD)
    const reading = Mailbox.into(
      Flow.runForEach(answer, (event) => events.offer(event)),
      events
    )
    yield* Effect.forkIn(reading, scope)
    const teller = yield* Effect.fork(waiting)
    const first = yield* Effect.timeoutOption(Effect.either(events.takeAll), limit).pipe(
      Effect.ensuring(Fiber.interrupt(teller))
    )
    if (Option.isNone(first)) return yield* Effect.as(Scope.close(scope, Exit.void), Option.none())
    const [begun, isDone] = yield* first.value
    const known = Flow.fromArray(Chunk.toReadonlyArray(begun))
    return Option.some(isDone ? known : Flow.concat(known, Flow.fromMailbox(events)))
  })

/** Minutes after the request was sent. */
const TOLD_AT = [1, 2, 5, 10, 15]

/** Says that it still waits, and for how long it has. */
const waitTold = (model: string, say: TierOptions["say"]) =>
  Effect.forEach(
    TOLD_AT,
    (minutes, index) =>
      Effect.zipRight(
        Effect.sleep(Duration.minutes(minutes - (TOLD_AT[index - 1] ?? 0))),
        say(`waiting for ${model} at the flex tier since ${minutes} min: it may take 15 (--max-time limits a run)`)
      ),
    { discard: true }
  )
