/**
 * Reading an answer, bounded while it comes: in size, counted after decompression, and in silence. Whoever stops, or is
 * stopped, ends the connection too.
 */
import { Duration, Effect, type Scope } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"
import { HttpError, placeOf } from "./http-error.ts"
import { silenceGuard } from "./silence-guard.ts"

export interface BodyBounds {
  readonly maxBytes: number
  /** The longest silence between two pieces. */
  readonly gap: Duration.Duration
}

/** Every piece, as it comes. */
export const eachPiece = Effect.fnUntraced(function* <E = never>(
  response: Response,
  url: URL,
  { gap, maxBytes }: BodyBounds,
  take: (piece: Uint8Array<ArrayBuffer>) => Effect.Effect<void, E> | undefined
): Effect.fn.Return<void, HttpError | E, Scope.Scope> {
  const { body } = response
  if (body === null) return
  const failed = (kind: HttpError["kind"], detail: string, cause?: unknown) =>
    new HttpError({ kind, url: placeOf(url), detail, cause })
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes)
    return yield* failed("too-large", tooLarge(maxBytes))
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => body.getReader()),
    // Nobody waits for the end of a connection.
    (owned) => Effect.sync(() => void owned.cancel().catch(() => {}))
  )
  const bounded = yield* silenceGuard({
    leftMs: () => Duration.toMillis(gap),
    onSilence: () => failed("timeout", `the answer stopped: nothing came for ${Duration.format(gap)}`)
  })
  const read = bounded<Awaited<ReturnType<typeof reader.read>>>((end) =>
    reader.read().then(
      (result) => end(Effect.succeed(result)),
      (cause) => end(Effect.fail(failed("network", messageOf(cause), cause)))
    )
  )
  let total = 0
  while (true) {
    const { done, value } = yield* read
    if (done) return
    total += value.length
    if (total > maxBytes) return yield* failed("too-large", tooLarge(maxBytes))
    const taken = take(value)
    if (taken !== undefined) yield* taken
  }
}, Effect.scoped)

export const readBytes = Effect.fnUntraced(function* (response: Response, url: URL, bounds: BodyBounds) {
  const pieces: Array<Uint8Array> = []
  yield* eachPiece(response, url, bounds, (piece) => void pieces.push(piece))
  return Buffer.concat(pieces)
})

export const readText = (response: Response, url: URL, bounds: BodyBounds): Effect.Effect<string, HttpError> =>
  Effect.map(readBytes(response, url, bounds), (bytes) => new TextDecoder().decode(bytes))

const tooLarge = (maxBytes: number): string => `the answer is larger than ${sizeText(maxBytes)}`

const sizeText = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MiB` : `${Math.ceil(bytes / 1024)} KiB`
