/**
 * A job is created once. Creating is not idempotent: when its answer is lost, the job is looked for by the name that was
 * reserved for it, and only when none has that name after a minute is it created again.
 */
import { readFileSync } from "node:fs"
import { Clock, Duration, Effect, Either } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { ModelError } from "../../retry/model-error.ts"
import { neverConnected } from "../../retry/network-error.ts"
import { lookAgainDelay, pushBackDelay } from "../../retry/schedules.ts"
import type { BatchError } from "../batch-error.ts"
import type { BatchService } from "./batch-service.ts"
import type { Job, JobBook } from "./job-book.ts"

/** The requests of a job as lines of a file. */
export interface JobRequests {
  readonly path: string
  readonly bytes: number
  readonly items: number
}

export interface CreateInput {
  readonly service: BatchService
  readonly book: JobBook
  /** A quota that is used up is waited for. */
  readonly waitsForQuota: boolean
  readonly waiting: (reason: string | undefined) => Effect.Effect<void>
}

/** How long a job may take to appear in the list. */
export const APPEARS_WITHIN_MS = 60_000

/** What is left of it for a job of another process. The clock may have been set back meanwhile. */
export const timeToAppear = ({ reservedAt }: Job): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, APPEARS_WITHIN_MS - Math.max(0, now - reservedAt)))

/** Uploads are kept for two days. */
const UPLOAD_KEPT_MS = 47 * 3_600_000
/** A service that was never reached is rather a wrong address than an outage. */
const REACHED_WITHIN_MS = 30_000
const GIVEN_UP_AFTER = Duration.hours(1)

/** `requests`: asked for when the job has to be created. */
export const createJob = (
  input: CreateInput,
  job: Job,
  requests: Effect.Effect<JobRequests, BatchError>
): Effect.Effect<void, BatchError | ModelError> =>
  Effect.gen(function* () {
    const { book, waiting } = input
    const startedAt = yield* monotonicMillis
    if (job.isInherited && (yield* adopted(input, job, yield* timeToAppear(job)))) return
    let refusals = 0
    let isSentAgain = false
    for (;;) {
      const made = yield* Effect.either(Effect.flatMap(requests, (found) => send(input, job, found)))
      if (Either.isRight(made)) {
        yield* waiting(undefined)
        return yield* book.heard(job, made.right)
      }
      const error = made.left
      if (!(error instanceof ModelError)) return yield* error
      const now = yield* monotonicMillis
      refusals += 1
      yield* waiting(error.detail)
      if (isPushBack(error)) {
        if (error.kind === "quota" && !input.waitsForQuota) return yield* error
        yield* Effect.sleep(error.retryAfter ?? pushBackDelay(refusals))
        continue
      }
      if (!isSentAgain && isUploadGone(error, job)) {
        isSentAgain = true
        yield* book.uploaded(job, undefined)
        continue
      }
      if (isRefusal(error) || now - startedAt > Duration.toMillis(GIVEN_UP_AFTER)) return yield* error
      if (isUnsent(error)) {
        if (now - startedAt > REACHED_WITHIN_MS) return yield* error
        yield* Effect.sleep(pushBackDelay(refusals))
        continue
      }
      if (yield* adopted(input, job, APPEARS_WITHIN_MS)) return
    }
  })

const send = Effect.fnUntraced(function* ({ book, service }: CreateInput, job: Job, requests: JobRequests) {
  const { name } = job
  const { inline } = service
  if (inline !== undefined && requests.bytes <= inline.bytes && requests.items <= inline.items) {
    const lines = readFileSync(requests.path, "utf8").split("\n")
    return yield* service.create({ name, input: { _tag: "Inline", lines: lines.filter((line) => line !== "") } })
  }
  const now = yield* Clock.currentTimeMillis
  if (job.file === undefined || now - job.fileAt > UPLOAD_KEPT_MS) {
    yield* book.uploaded(job, yield* uploaded(service, requests.path, name))
  }
  return yield* service.create({ name, input: { _tag: "File", file: job.file ?? "" } })
})

/** An upload that is sent twice costs nothing but time: it may simply be tried again. */
const uploaded = (service: BatchService, path: string, name: string) =>
  Effect.gen(function* () {
    for (let failures = 1; ; failures++) {
      const sent = yield* Effect.either(service.upload(path, name))
      if (Either.isRight(sent)) return sent.right
      if (!sent.left.isRetryable || failures > UPLOAD_ATTEMPTS)
        return yield* new ModelError({ ...sent.left, phase: "body" })
      yield* Effect.sleep(sent.left.retryAfter ?? pushBackDelay(failures))
    }
  })

const UPLOAD_ATTEMPTS = 5

/** Whether it is there by now. Nobody says no before the time is over and the list could be read. */
export const adopted = Effect.fnUntraced(function* (
  { book, service, waiting }: Pick<CreateInput, "book" | "service" | "waiting">,
  job: Job,
  withinMs: number
) {
  const until = (yield* monotonicMillis) + withinMs
  for (let looks = 0; ; looks++) {
    const now = yield* monotonicMillis
    const found = yield* Effect.either(service.find(job.name))
    if (Either.isLeft(found)) {
      if (!found.left.isRetryable || now - until > Duration.toMillis(GIVEN_UP_AFTER)) return yield* found.left
      if (isUnsent(found.left) && looks > UNREACHED_LOOKS) return yield* found.left
      yield* waiting(found.left.detail)
    } else if (found.right !== undefined) {
      yield* waiting(undefined)
      yield* book.heard(job, found.right)
      return true
    } else if (now >= until) return false
    else yield* waiting(`looking for job ${job.name}, which may have been created`)
    yield* Effect.sleep(Duration.min(lookAgainDelay(0), Duration.millis(Math.max(500, until - now))))
  }
})

/** More than a minute of them. */
const UNREACHED_LOOKS = 15

const isPushBack = ({ kind, phase }: ModelError): boolean =>
  phase === "open" && (kind === "rate-limited" || kind === "capacity" || kind === "quota")

/** The service said no, and nothing was created. What went wrong with the upload is told by its phase. */
const isRefusal = ({ kind, phase, status }: ModelError): boolean =>
  phase === "body" ||
  kind === "auth" ||
  kind === "unreachable" ||
  (status !== undefined && status >= 400 && status < 499)

const isUnsent = ({ errorType, kind }: ModelError): boolean => kind === "network" && neverConnected(errorType)

const isUploadGone = ({ detail, phase, status }: ModelError, job: Job): boolean =>
  phase === "open" &&
  job.file !== undefined &&
  (status === 404 || status === 403 || status === 400) &&
  /\bfiles?\b/i.test(detail)
