/**
 * The model from a cassette and into one. Played by the hash of the request, and within one hash in the order of the
 * recording; what the cassette does not hold is a miss: a failure that shows the difference to the nearest entry, or a
 * question to the real model, which may be recorded at once.
 */
import { DateTime, Duration, Effect, Either, Exit, Schema } from "effect"
import * as Flow from "../../kernel/flow.ts"
import { lazy } from "../../kernel/lazy.ts"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import { redactionOf, type Secret } from "../../kernel/redact-secrets.ts"
import { type Content, userText } from "../../protocol/content.ts"
import { ModelError, ModelErrorKind } from "../../retry/model-error.ts"
import { decodeValue } from "../decode-chunk.ts"
import { type ModelChunk, type ModelClient, type ModelEvent, type ModelRequest, unpaid } from "../model-client.ts"
import { type Cassette, type CassetteRecording, playable } from "./cassette-file.ts"
import type { CassetteWriter } from "./cassette-writer.ts"
import { type ModelCall, type Normalizer, type NormalRequest, RequestHashes } from "./normal-request.ts"

type Client = ModelClient["Type"]

/** What each method asks, in one form. */
interface Call {
  readonly call: ModelCall
  readonly model: string
  readonly systemInstruction?: string | undefined
  readonly config?: unknown
  readonly contents: ReadonlyArray<Content>
}

const callOf = (call: ModelCall, { config, contents, model, systemInstruction }: Omit<Call, "call">): Call => ({
  call,
  model,
  systemInstruction,
  config,
  contents
})

/** Requests by their normal form. */
class Requests {
  readonly #hashes = new RequestHashes()
  of({ call, config, contents, model, systemInstruction }: Call, normal: Normalizer) {
    const head = {
      call,
      model,
      ...(systemInstruction === undefined ? {} : { system: systemInstruction }),
      ...(config === undefined ? {} : { config })
    }
    const request = normal.request(head, contents)
    return { request, sha256: this.#hashes.of(request) }
  }
}

export interface RecordOptions {
  readonly writer: CassetteWriter
  readonly normal: Effect.Effect<Normalizer>
  readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
  readonly warn: (text: string) => Effect.Effect<void>
}

export const recordingClient = (client: Client, { normal, secrets, warn, writer }: RecordOptions): Client => {
  const requests = new Requests()

  const write = Effect.fnUntraced(function* (asked: Call, came: Came) {
    const clean = redactionOf(yield* secrets)
    const { request, sha256 } = requests.of(asked, yield* normal)
    const { error, gaps, replacedBy, response } = came
    yield* Effect.catchAll(writer.add({ request, sha256, response, gaps, replacedBy, error }, clean), (reason) =>
      warn(`--record: a call of the model could not be written: ${reason}`)
    )
  })

  const whole = <A>(asked: Call, call: Effect.Effect<A, ModelError>, json: (answer: A) => unknown) =>
    Effect.gen(function* () {
      const came = new Came(yield* monotonicMillis)
      const exit = yield* Effect.either(call)
      if (Either.isRight(exit)) came.take(JSON.stringify(json(exit.right)), yield* monotonicMillis)
      else came.error = exit.left
      yield* write(asked, came)
      return yield* exit
    })

  return {
    stream: (request) =>
      Flow.unwrapScoped(
        Effect.gen(function* () {
          const came = new Came(yield* monotonicMillis)
          // A consumer may have enough before the end; a run that is cancelled has no answer.
          yield* Effect.addFinalizer((exit) =>
            Exit.isInterrupted(exit) ? Effect.void : write(callOf("stream", request), came)
          )
          const answer = Flow.tap(client.stream(request), (event) =>
            Effect.map(monotonicMillis, (now) => {
              if (event._tag === "Chunk") came.take(JSON.stringify(event.chunk), now)
              if (event._tag === "ModelReplaced") came.replacedBy = event.to
            })
          )
          return Flow.around(
            answer,
            Effect.tapError((error) => Effect.sync(() => (came.error = error)))
          )
        })
      ),
    generate: (request) => whole(callOf("generate", request), client.generate(request), (chunk) => chunk),
    countTokens: (request) =>
      whole(callOf("count", request), client.countTokens(request), (totalTokens) => ({ totalTokens })),
    embed: (request) =>
      whole(embedCall(request), client.embed(request), (vectors) => ({
        embeddings: vectors.map((values) => ({ values }))
      }))
  }
}

const embedCall = ({ model, texts }: { readonly model: string; readonly texts: ReadonlyArray<string> }): Call => ({
  call: "embed",
  model,
  contents: texts.map(userText)
})

/** What came of one call. */
class Came {
  readonly response: Array<string> = []
  readonly gaps: Array<number> = []
  replacedBy: string | undefined
  error: ModelError | undefined
  #last: number

  constructor(began: number) {
    this.#last = began
  }

  take(json: string, now: number): void {
    this.response.push(json)
    this.gaps.push(Math.max(0, Math.round(now - this.#last)))
    this.#last = now
  }
}

export interface PlayOptions {
  readonly cassette: Cassette
  /** As of now: credentials may be learnt on the way. */
  readonly normal: Effect.Effect<Normalizer>
  /** Chunks come as far apart as they did. */
  readonly keepsGaps: boolean
  /** Who is asked what the cassette does not hold; absent: nobody. */
  readonly live: Effect.Effect<Client, ModelError> | undefined
}

export const playingClient = ({ cassette, keepsGaps, live, normal }: PlayOptions): Client => {
  const requests = new Requests()
  const waiting = new Map<string, Array<CassetteRecording>>()
  for (const recording of playable(cassette)) {
    const same = waiting.get(recording.sha256)
    if (same === undefined) waiting.set(recording.sha256, [recording])
    else same.push(recording)
  }

  const take = (asked: Call): Effect.Effect<CassetteRecording | undefined, ModelError> =>
    Effect.flatMap(normal, (now) => {
      const { request, sha256 } = requests.of(asked, now)
      const recording = waiting.get(sha256)?.shift()
      if (recording !== undefined) return Effect.succeed(recording)
      return live === undefined ? missed(cassette, request, sha256) : Effect.succeed(undefined)
    })

  const liveClient = live ?? Effect.dieMessage("nobody is asked live")

  const played = (
    recording: CassetteRecording,
    request: Pick<ModelRequest, "model">
  ): Flow.Flow<ModelEvent, ModelError> => {
    const before: ReadonlyArray<ModelEvent> =
      recording.replaced_by === undefined
        ? []
        : [{ _tag: "ModelReplaced", from: request.model, to: recording.replaced_by, error: undefined }]
    const chunks = Flow.fromArray(recording.response.map((value, index) => [value, index] as const)).pipe(
      Flow.tap(([, index]) => (keepsGaps ? Effect.sleep(Duration.millis(recording.gaps[index] ?? 0)) : Effect.void)),
      Flow.mapConcatEffect(([value, index]) => chunksIn(cassette, recording, index, value)),
      Flow.map((chunk): ModelEvent => ({ _tag: "Chunk", chunk: unpaid(chunk) }))
    )
    const end = recording.error === undefined ? Flow.empty : Flow.fail(failureOf(recording, request.model))
    return Flow.concat(Flow.concat(Flow.fromArray(before), chunks), end)
  }

  const answered = <A>(
    asked: Call,
    recorded: (value: unknown, recording: CassetteRecording) => Effect.Effect<A, ModelError>,
    ask: (client: Client) => Effect.Effect<A, ModelError>
  ): Effect.Effect<A, ModelError> =>
    Effect.flatMap(take(asked), (recording) => {
      if (recording === undefined) return Effect.flatMap(liveClient, ask)
      if (recording.error !== undefined) return Effect.fail(failureOf(recording, asked.model))
      const gap = keepsGaps ? Effect.sleep(Duration.millis(recording.gaps[0] ?? 0)) : Effect.void
      return Effect.zipRight(gap, recorded(recording.response[0], recording))
    })

  return {
    stream: (request) =>
      Flow.unwrap(
        Effect.flatMap(take(callOf("stream", request)), (recording) =>
          recording === undefined
            ? Effect.map(liveClient, (client) => client.stream(request))
            : Effect.succeed(played(recording, request))
        )
      ),
    generate: (request) =>
      answered(
        callOf("generate", request),
        (value, recording) =>
          Effect.flatMap(chunksIn(cassette, recording, 0, value), ([chunk]) =>
            chunk === undefined ? unreadable(cassette, recording, "it has no response") : Effect.succeed(unpaid(chunk))
          ),
        (client) => client.generate(request)
      ),
    countTokens: (request) =>
      answered(
        callOf("count", request),
        (value, recording) =>
          Effect.mapBoth(Schema.decodeUnknown(Counted)(value), {
            onFailure: () => unreadable(cassette, recording, "it has no totalTokens"),
            onSuccess: ({ totalTokens }) => totalTokens
          }),
        (client) => client.countTokens(request)
      ),
    embed: (request) =>
      answered(
        embedCall(request),
        (value, recording) =>
          Effect.mapBoth(Schema.decodeUnknown(Embedded)(value), {
            onFailure: () => unreadable(cassette, recording, "it has no embeddings"),
            onSuccess: ({ embeddings }) => embeddings.map(({ values }) => values)
          }),
        (client) => client.embed(request)
      )
  }
}

const Counted = Schema.Struct({ totalTokens: Schema.Number })
const Embedded = Schema.Struct({ embeddings: Schema.Array(Schema.Struct({ values: Schema.Array(Schema.Number) })) })

/** Only for what did not fit is anything of this loaded. */
const missed = (cassette: Cassette, request: NormalRequest, sha256: string) =>
  Effect.flatMap(
    lazy(() => import("./cassette-miss.ts")),
    ({ missText }) =>
      new ModelError({
        kind: "miss",
        detail: missText(cassette, request, sha256),
        model: request.head.model,
        phase: "open",
        errorType: "CASSETTE_MISS"
      })
  )

const chunksIn = (
  cassette: Cassette,
  recording: CassetteRecording,
  index: number,
  value: unknown
): Effect.Effect<ReadonlyArray<ModelChunk>, ModelError> =>
  Either.mapLeft(decodeValue(value, "", { phase: "body", now: NO_DATE }), ({ detail }) =>
    unreadable(cassette, recording, `response.${index}: ${detail}`)
  )

/** Recorded chunks hold no refusals that name a wait. */
const NO_DATE = DateTime.unsafeMake(0)

const unreadable = ({ file }: Cassette, { line }: CassetteRecording, what: string) =>
  new ModelError({ kind: "replay", detail: `${file}:${line}: ${what}`, phase: "open", errorType: "REPLAY" })

const isKind = Schema.is(ModelErrorKind)

const failureOf = ({ error }: CassetteRecording, model: string): ModelError =>
  new ModelError({
    detail: "the recorded call failed",
    phase: "open",
    errorType: "REPLAY",
    model,
    ...error,
    kind: isKind(error?.kind) ? error.kind : "unavailable"
  })
