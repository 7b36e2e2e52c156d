/**
 * What is done about an answer that takes long. The runtime tells nobody how far it has come: so a second connection is
 * tried, and where there is none to be had, there is no point in waiting. Loaded when it comes to that.
 */
import { Duration, Effect } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { HttpClient } from "./http.ts"
import { HttpError, placeOf } from "./http-error.ts"

/** How long a connection may take, as far as foreign code is concerned. Nobody looks before that. */
export const CONNECTED_WITHIN = Duration.seconds(10)
const PROBED_WITHIN_MS = 3_000

export interface SlowAnswer {
  readonly http: HttpClient
  readonly url: URL
  /** Milliseconds since 1970. */
  readonly askedAt: number
  readonly answerWithin: Duration.Duration
}

export const waitFor = Effect.fnUntraced(function* <A, E>(
  answer: Effect.Effect<A, E>,
  { answerWithin, askedAt, http, url }: SlowAnswer
): Effect.fn.Return<A, E | HttpError> {
  const leftMs = askedAt + Duration.toMillis(answerWithin) - (yield* monotonicMillis)
  if (leftMs <= 0) return yield* noAnswer(url, answerWithin)
  const place = placeToConnect(http, url)
  const unreached = Effect.flatMap(
    Effect.promise(() => canConnect(place)),
    (isReachable) => (isReachable ? Effect.never : Effect.fail(notConnected(url, place)))
  )
  return yield* Effect.raceFirst(answer, unreached).pipe(
    Effect.timeoutFail({ duration: leftMs, onTimeout: () => noAnswer(url, answerWithin) })
  )
})

/** Whoever is connected to first on the way. */
export const placeToConnect = (http: HttpClient, url: URL): URL => {
  const proxy = http.proxyFor(url)
  return proxy === undefined ? url : new URL(proxy)
}

/** False only where nothing comes back. A refusal is something: whoever waits for an answer will hear of it. */
export const canConnect = async ({ hostname, port, protocol }: URL): Promise<boolean> => {
  const answered = Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    socket: { open: (socket) => void socket.end(), data: () => {} }
  }).then(
    () => true,
    () => true
  )
  return Promise.race([answered, passed(PROBED_WITHIN_MS).then(() => false)])
}

/** By the clock of the runtime. */
export const passed = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const over = AbortSignal.timeout(milliseconds)
    over.addEventListener("abort", () => resolve(), { once: true })
  })

export const notConnected = (url: URL, { host }: URL) =>
  new HttpError({ kind: "unreachable", url: placeOf(url), detail: `no connection to ${host} could be made` })

export const noAnswer = (url: URL, within: Duration.Duration) =>
  new HttpError({
    kind: "timeout",
    url: placeOf(url),
    detail: `${url.host} did not begin to answer within ${Duration.format(within)}`
  })
