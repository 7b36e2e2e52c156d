/**
 * A model that plays back a cassette. Strict: one counter for the process, each call of any kind takes the next line.
 * Non-strict: each call takes the first unused line of its own method. Nothing is sent, no key is needed.
 */
import { type Duration, Effect, Either, Layer, Ref } from "effect"
import * as Flow from "../kernel/flow.ts"
import { ModelError } from "../retry/model-error.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { CassetteError, type CassetteLine, type CassetteMethod, parseCassette } from "./cassette.ts"
import { ModelClient, type ModelEvent, type ModelRequest, unpaid } from "./model-client.ts"

export interface ReplayOptions {
  readonly strict: boolean
  /** The last line is played for every call after it. */
  readonly repeatsLast?: true
  /** Before each chunk, as a model takes its time; without it they come at once. */
  readonly pace?: Duration.DurationInput
}

/** Large enough for an hour of recorded traffic, small enough to be read at once. */
const MAX_BYTES = 256 * 1024 * 1024

export const layerFile = (file: string, options: ReplayOptions): Layer.Layer<ModelClient, CassetteError> =>
  Layer.unwrapEffect(
    Effect.suspend(() => {
      if (file === "/dev/null") return Effect.succeed(layerText(file, "", options))
      const content = readRegularFile(file, MAX_BYTES)
      if (content.kind === "text") return Effect.succeed(layerText(file, content.text, options))
      const detail = content.kind === "missing" ? "no such file" : content.reason
      return new CassetteError({ file, detail })
    })
  )

/** `name` stands for the file in error messages. */
export const layerText = (
  name: string,
  text: string,
  options: ReplayOptions
): Layer.Layer<ModelClient, CassetteError> =>
  Layer.effect(
    ModelClient,
    Effect.gen(function* () {
      const remaining = yield* Ref.make(yield* parseCassette(name, text))

      const take = <M extends CassetteMethod>(method: M, request: ReplayedRequest) =>
        Ref.modify(remaining, (lines) => takeLine(lines, method, request, options)).pipe(Effect.flatten)

      return ModelClient.of({
        stream: (request) =>
          Flow.unwrap(
            Effect.map(take("generateContentStream", request), ({ response }) =>
              Flow.map(
                paced(Flow.fromArray(response), options),
                (chunk): ModelEvent => ({ _tag: "Chunk", chunk: unpaid(chunk) })
              )
            )
          ),
        generate: (request) => Effect.map(take("generateContent", request), ({ response }) => unpaid(response)),
        countTokens: (request) => Effect.map(take("countTokens", request), ({ response }) => response.totalTokens),
        embed: (request) =>
          Effect.map(take("embedContent", request), ({ response }) => response.embeddings.map(({ values }) => values))
      })
    })
  )

const paced = <A>(chunks: Flow.Flow<A>, { pace }: ReplayOptions): Flow.Flow<A> =>
  pace === undefined ? chunks : Flow.tap(chunks, () => Effect.sleep(pace))

type ReplayedRequest = Pick<ModelRequest, "model"> & Partial<Pick<ModelRequest, "role">>

type LineOf<M extends CassetteMethod> = Extract<CassetteLine, { readonly method: M }>
type Taken<M extends CassetteMethod> = readonly [Either.Either<LineOf<M>, ModelError>, ReadonlyArray<CassetteLine>]

const takeLine = <M extends CassetteMethod>(
  lines: ReadonlyArray<CassetteLine>,
  method: M,
  request: ReplayedRequest,
  { repeatsLast, strict }: ReplayOptions
): Taken<M> => {
  const isWanted = (line: CassetteLine): line is LineOf<M> => line.method === method
  const index = strict ? 0 : lines.findIndex(isWanted)
  const line = lines[index]
  if (line === undefined) {
    return [
      Either.left(mismatch(`No more mock responses for ${method}, got request:\n${JSON.stringify(request)}`, request)),
      lines
    ]
  }
  const rest = repeatsLast === true && lines.length === 1 ? lines : lines.toSpliced(index, 1)
  if (!isWanted(line)) {
    // The line is used up all the same: the call that did not fit was made. Only a question which model to take may
    // have no line of its own: recordings with a named model hold none, and the run goes on without an answer.
    const left = request.role === "utility_router" ? lines : rest
    return [Either.left(mismatch(`next response was for ${line.method} but expected ${method}`, request)), left]
  }
  return [Either.right(line), rest]
}

const mismatch = (detail: string, { model }: { readonly model: string }) =>
  new ModelError({ kind: "replay", detail, model, phase: "open", errorType: "REPLAY" })
