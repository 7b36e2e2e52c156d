/**
 * A request with hooks around it: what they change before it is sent, the answer that they give in the model's place,
 * and what they make of the answer. Hooks that judge a whole answer hold it back until it is complete; what was shown
 * could not be taken back.
 */
import { Effect } from "effect"
import type { HooksView } from "../../hooks/hooks.ts"
import { type HookedRequest, type HookedResponse, type SpokenResponse, withTexts } from "../../hooks/llm-exchange.ts"
import * as Flow from "../../kernel/flow.ts"
import type { ModelChunk, ModelEvent, ModelRequest } from "../../model/model-client.ts"
import type { Part } from "../../protocol/content.ts"
import type { Emit } from "../../protocol/event.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { partsOf, textOf } from "../answer.ts"
import type { OpenedRequest, OpenRequestOptions } from "../attempt.ts"
import { RunHalt } from "./run-halt.ts"

export const openHooked = Effect.fnUntraced(function* (
  request: ModelRequest,
  hooks: HooksView,
  options: OpenRequestOptions
): Effect.fn.Return<OpenedRequest, RunHalt> {
  const { emit } = options
  const start = yield* hooks.beforeModel(request, emit)
  if (start._tag === "Halt") return yield* new RunHalt(start)
  if (start._tag === "Answer") {
    const { answer, halt } = start
    const end = halt === undefined ? Flow.empty : Flow.fail(new RunHalt(halt))
    return {
      model: request.model,
      events: Flow.concat(Flow.succeed<ModelEvent>({ _tag: "Chunk", chunk: answerChunk(answer) }), end),
      isSynthetic: true
    }
  }
  const changed = start.change === undefined ? request : { ...request, ...changesTo(request, start.change, options) }
  const asked = { ...changed, config: yield* hooks.beforeToolSelection(changed, emit) }
  const events = yield* judged(options.client.stream(asked), asked, hooks, emit)
  return { model: asked.model, events, isSynthetic: false }
})

interface Change extends Pick<HookedRequest, "contents" | "config"> {
  readonly model?: string
}

/** Another model has other parameters; tools stay, and so does what the hook set itself. */
const changesTo = ({ config: before }: ModelRequest, change: Change, { reconfigured }: OpenRequestOptions) => {
  const { config, contents, model } = change
  if (model === undefined) return { config, contents }
  const other = reconfigured(model)
  const set = Object.entries(config).filter(([name, value]) => before[name] !== value)
  return { contents, model: other.model, config: { ...other.config, ...Object.fromEntries(set) } }
}

const judged = Effect.fnUntraced(function* (
  events: Flow.Flow<ModelEvent, ModelError>,
  request: HookedRequest,
  hooks: HooksView,
  emit: Emit
): Effect.fn.Return<Flow.Flow<ModelEvent, ModelError | RunHalt>> {
  const judge = Effect.fnUntraced(function* (chunks: ReadonlyArray<ModelChunk>, isPiece: boolean) {
    const response = responseOf(chunks)
    const end = yield* hooks.afterModel({ request, response, isPiece }, emit)
    if (end._tag === "Halt") return yield* new RunHalt({ kind: end.kind, reason: end.reason, usage: response.usage })
    return replaced(chunks, end.replacement)
  })
  const inPieces = (yield* hooks.has("AfterModel", { streams: true }))
    ? Flow.mapConcatEffect(events, (event) =>
        event._tag === "Chunk" ? Effect.map(judge([event.chunk], true), asEvents) : Effect.succeed([event])
      )
    : events
  return (yield* hooks.has("AfterModel", { streams: false }))
    ? heldBack(inPieces, (chunks) => Effect.map(judge(chunks, false), asEvents))
    : inPieces
})

const replaced = (chunks: ReadonlyArray<ModelChunk>, spoken: SpokenResponse | undefined) =>
  spoken === undefined ? chunks : withSpoken(chunks, spoken)

const asEvents = (chunks: ReadonlyArray<ModelChunk>): ReadonlyArray<ModelEvent> =>
  chunks.map((chunk) => ({ _tag: "Chunk", chunk }))

/** Waits and other models are told as they come; the pieces of the answer when it is complete. */
const heldBack = <E, E2>(
  events: Flow.Flow<ModelEvent, E>,
  release: (chunks: ReadonlyArray<ModelChunk>) => Effect.Effect<ReadonlyArray<ModelEvent>, E2>
): Flow.Flow<ModelEvent, E | E2> =>
  Flow.suspend(() => {
    const held: Array<ModelChunk> = []
    const news = Flow.mapConcat(events, (event): ReadonlyArray<ModelEvent> => {
      if (event._tag !== "Chunk") return [event]
      held.push(event.chunk)
      return []
    })
    const answer = Flow.suspend(() => Flow.unwrap(Effect.map(release(held), Flow.fromArray)))
    return Flow.concat(news, answer)
  })

/** One or all pieces of an answer as hooks see them: its texts as one, the rest as it came. */
const responseOf = (chunks: ReadonlyArray<ModelChunk>): HookedResponse => {
  const parts = chunks.flatMap(partsOf)
  const text = textOf(parts)
  const candidates = chunks.flatMap(({ candidates }) => candidates?.[0] ?? [])
  return {
    parts: text === "" ? parts : withTexts(parts, [text]),
    finishReason: candidates.findLast(({ finishReason }) => finishReason !== undefined)?.finishReason,
    safetyRatings: candidates.map((one) => ("safetyRatings" in one ? one.safetyRatings : undefined)).findLast(isGiven),
    usage: chunks.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata
  }
}

/** The answer that a hook gives. */
const answerChunk = ({ finishReason, texts }: SpokenResponse): ModelChunk => ({
  candidates: [{ content: { role: "model", parts: asParts(texts) }, finishReason: finishReason ?? "STOP" }]
})

/** The first piece with a text takes the new one, the others lose theirs; calls, thoughts and counts stay. */
const withSpoken = (
  chunks: ReadonlyArray<ModelChunk>,
  { finishReason, texts }: SpokenResponse
): ReadonlyArray<ModelChunk> => {
  const place = chunks.findIndex((chunk) => textOf(partsOf(chunk)) !== "")
  const changed = chunks.map((chunk, index) =>
    changedChunk(chunk, {
      texts: index === place ? texts : [],
      finishReason: index === chunks.length - 1 ? finishReason : undefined
    })
  )
  return place === -1 ? [{ candidates: [{ content: { role: "model", parts: asParts(texts) } }] }, ...changed] : changed
}

const changedChunk = (
  chunk: ModelChunk,
  { finishReason, texts }: { readonly texts: ReadonlyArray<string>; readonly finishReason: string | undefined }
): ModelChunk => {
  const [candidate, ...others] = chunk.candidates ?? []
  if (candidate === undefined) return chunk
  return {
    ...chunk,
    candidates: [
      {
        ...candidate,
        ...(candidate.content === undefined
          ? {}
          : { content: { ...candidate.content, parts: withTexts(partsOf(chunk), texts) } }),
        ...(finishReason === undefined ? {} : { finishReason })
      },
      ...others
    ]
  }
}

const asParts = (texts: ReadonlyArray<string>): ReadonlyArray<Part> => texts.map((text) => ({ text }))

const isGiven = (value: unknown): boolean => value !== undefined
