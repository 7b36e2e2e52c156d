/**
 * A file that is too large for a request, by the Files API and through the official SDK: sent once, used when the service
 * has read it, and found again by its content for as long as the service keeps it (48 hours).
 */
import { GoogleGenAI } from "@google/genai/web"
import { Clock, Duration, Effect, Either, Redacted, Schedule, Schema } from "effect"
import type { AuthPlan } from "../../auth/auth-plan.ts"
import { changeOwnFile } from "../../config/own-file.ts"
import { messageOf } from "../../kernel/cause-chain.ts"
import { type Fetch, fetchThrough } from "../../system/http/fetch-door.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { readRegularFile } from "../../system/regular-file.ts"

export class UploadError extends Schema.TaggedError<UploadError>()("UploadError", {
  file: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `--file: ${this.file} cannot be uploaded: ${this.detail}`
  }
}

export interface UploadInput {
  readonly file: string
  readonly name: string
  readonly mimeType: string
  readonly auth: Extract<AuthPlan, { readonly _tag: "ApiKey" | "Gateway" }>
  readonly http: HttpClient
  /** What was sent before; absent: nothing is kept. */
  readonly register: string | undefined
  readonly tell: (line: string) => Effect.Effect<void>
}

const Register = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Struct({ name: Schema.String, expires: Schema.Number }) })
)
type Register = typeof Register.Type

const MAX_REGISTER_BYTES = 1024 * 1024
const KEPT_FOR_MS = 47 * 3_600_000
const ANSWER_WITHIN = Duration.minutes(5)
const MAX_ANSWER_BYTES = 1024 * 1024
const READY_WITHIN = Duration.minutes(10)

export const uploadFile = Effect.fn("Files.upload")(function* (input: UploadInput) {
  const { auth, file, mimeType, name, register, tell } = input
  const blob = Bun.file(file)
  const failure = (cause: unknown) => new UploadError({ file, detail: oneLineOf(cause) })
  const sdk = new GoogleGenAI({
    apiKey: Redacted.value(auth.key),
    vertexai: false,
    httpOptions: {
      ...(auth.baseUrl === undefined ? {} : { baseUrl: auth.baseUrl.href.replace(/\/+$/, "") }),
      fetch: told(
        fetchThrough(input.http, { answerWithin: ANSWER_WITHIN, maxBytes: MAX_ANSWER_BYTES }),
        blob.size,
        (done) =>
          Effect.runFork(
            tell(`[INFO] uploading ${name}: ${Math.round((done / blob.size) * 100)}% of ${megabytes(blob.size)}`)
          )
      )
    }
  })
  const digest = yield* Effect.tryPromise({ try: () => digestOf(blob, Redacted.value(auth.key)), catch: failure })
  const now = yield* Clock.currentTimeMillis
  const known = register === undefined ? undefined : registerIn(register)[digest]
  const stateOf = (resource: string) =>
    Effect.tryPromise({ try: () => sdk.files.get({ name: resource }), catch: failure })

  if (known !== undefined && known.expires > now) {
    const found = yield* Effect.either(stateOf(known.name))
    if (Either.isRight(found) && found.right.state === "ACTIVE" && found.right.uri !== undefined) {
      yield* tell(`[INFO] ${name} was uploaded before and is used again`)
      return { fileUri: found.right.uri, mimeType }
    }
  }
  yield* tell(`[INFO] uploading ${name} (${megabytes(blob.size)})`)
  const sent = yield* Effect.tryPromise({
    try: () => sdk.files.upload({ file: blob, config: { mimeType, displayName: name } }),
    catch: failure
  })
  const resource = sent.name ?? ""
  const ready = yield* stateOf(resource).pipe(
    Effect.flatMap((found) =>
      found.state === "PROCESSING" ? Effect.fail("processing" as const) : Effect.succeed(found)
    ),
    Effect.retry({ while: (error) => error === "processing", schedule: Schedule.spaced("2 seconds") }),
    Effect.timeoutFail({
      duration: READY_WITHIN,
      onTimeout: () => failure(`the service was not done with it within ${Duration.format(READY_WITHIN)}`)
    }),
    Effect.mapError((error) => (error === "processing" ? failure("it is still being read") : error))
  )
  if (ready.state !== "ACTIVE" || ready.uri === undefined) {
    return yield* failure(
      `the service could not read it${ready.error?.message === undefined ? "" : `: ${ready.error.message}`}`
    )
  }
  if (register !== undefined) {
    // The file is there; that it has to be sent again another time is not worth a failure.
    yield* Effect.ignore(
      changeOwnFile(register, () => {
        const fresh = Object.entries(registerIn(register)).filter(([, { expires }]) => expires > now)
        return `${JSON.stringify({ ...Object.fromEntries(fresh), [digest]: { name: resource, expires: now + KEPT_FOR_MS } })}\n`
      })
    )
  }
  return { fileUri: ready.uri, mimeType }
})

const registerIn = (file: string): Register => {
  const content = readRegularFile(file, MAX_REGISTER_BYTES)
  if (content.kind !== "text") return {}
  return Either.getOrElse(Schema.decodeUnknownEither(Register)(content.text), () => ({}))
}

/** The same content under another key is another file. */
const digestOf = async (blob: Blob, key: string): Promise<string> => {
  const hasher = new Bun.CryptoHasher("sha256").update(`${key}\n`)
  for await (const piece of blob.stream()) hasher.update(piece)
  return hasher.digest("hex")
}

/** The SDK sends pieces, one request each, and says nothing. Our door takes bytes. */
const told = (send: Fetch, size: number, tell: (done: number) => void): Fetch => {
  let done = 0
  return async (url, init) => {
    if (!(init?.body instanceof Blob)) return send(url, init)
    const piece = new Uint8Array(await init.body.arrayBuffer())
    const response = await send(url, { ...init, body: piece })
    done += piece.length
    if (response.ok && size > 0) tell(Math.min(done, size))
    return response
  }
}

/** The SDK gives the body of a refusal as its message. */
const oneLineOf = (cause: unknown): string => {
  const text = messageOf(cause)
  const said = Either.getOrUndefined(Schema.decodeUnknownEither(Refused)(text))
  return (said?.error.message ?? text).replace(/\s+/g, " ").slice(0, 500)
}
const Refused = Schema.parseJson(Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }))
const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
