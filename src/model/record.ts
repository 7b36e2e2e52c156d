/**
 * Writes every answer of the model to a cassette, each as one line when it is complete: a run that dies keeps what came
 * before. A failed call has no answer and is not recorded. What is recorded can be replayed, and goes behind what the
 * file holds already.
 */
import { Effect, Layer } from "effect"
import * as Flow from "../kernel/flow.ts"
import type { ModelError } from "../retry/model-error.ts"
import { append, appendNow, reasonOf } from "../system/append-file.ts"
import { CassetteError, type CassetteLine, renderLine } from "./cassette.ts"
import { type ModelChunk, ModelClient, type ModelEvent } from "./model-client.ts"

export const withRecording = <E, R>(
  base: Layer.Layer<ModelClient, E, R>,
  file: string
): Layer.Layer<ModelClient, E | CassetteError, R> =>
  Layer.effect(
    ModelClient,
    Effect.gen(function* () {
      const client = yield* ModelClient
      yield* Effect.try({
        try: () => appendNow(file, ""),
        catch: (cause) => new CassetteError({ file, detail: `cannot be written: ${reasonOf(cause)}` })
      })
      // The answer is what the user is waiting for: a recording that fails later must not take it away.
      const write = (line: CassetteLine) => Effect.ignoreLogged(append(file, renderLine(line)))

      return ModelClient.of({
        stream: (request) => Flow.suspend(() => recorded(client.stream(request), write)),
        generate: (request) =>
          Effect.tap(client.generate(request), (response) => write({ method: "generateContent", response })),
        countTokens: (request) =>
          Effect.tap(client.countTokens(request), (totalTokens) =>
            write({ method: "countTokens", response: { totalTokens } })
          ),
        embed: (request) =>
          Effect.tap(client.embed(request), (vectors) =>
            write({ method: "embedContent", response: { embeddings: vectors.map((values) => ({ values })) } })
          )
      })
    })
  ).pipe(Layer.provide(base))

const recorded = (stream: Flow.Flow<ModelEvent, ModelError>, write: (line: CassetteLine) => Effect.Effect<void>) => {
  const response: Array<ModelChunk> = []
  return Flow.onEnd(
    Flow.tap(stream, (event) => Effect.sync(() => event._tag === "Chunk" && response.push(event.chunk))),
    Effect.suspend(() => write({ method: "generateContentStream", response }))
  )
}
