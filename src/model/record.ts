/**
 * Writes every answer of the model to a cassette, each as one line when it is complete: a run that dies keeps what came
 * before. A failed call has no answer and is not recorded. What is recorded can be replayed.
 */
import { appendFileSync, writeFileSync } from "node:fs"
import { Effect, Layer, Ref, Stream } from "effect"
import { CassetteError, type CassetteLine, renderLine } from "./cassette.ts"
import { type ModelChunk, ModelClient } from "./model-client.ts"

export const withRecording = <E, R>(
  base: Layer.Layer<ModelClient, E, R>,
  file: string
): Layer.Layer<ModelClient, E | CassetteError, R> =>
  Layer.effect(
    ModelClient,
    Effect.gen(function* () {
      const client = yield* ModelClient
      yield* Effect.try({
        try: () => writeFileSync(file, "", { mode: 0o600 }),
        catch: (cause) => new CassetteError({ file, detail: `cannot be written: ${reasonOf(cause)}` })
      })
      // The answer is what the user is waiting for: a recording that fails later must not take it away.
      const write = (line: CassetteLine) =>
        Effect.ignoreLogged(Effect.try(() => appendFileSync(file, renderLine(line))))

      return ModelClient.of({
        stream: (request) =>
          Stream.unwrap(
            Effect.map(Ref.make<ReadonlyArray<ModelChunk>>([]), (chunks) =>
              client.stream(request).pipe(
                Stream.tap((event) =>
                  event._tag === "Chunk" ? Ref.update(chunks, (before) => [...before, event.chunk]) : Effect.void
                ),
                Stream.onEnd(
                  Effect.flatMap(Ref.get(chunks), (response) => write({ method: "generateContentStream", response }))
                )
              )
            )
          ),
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

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
