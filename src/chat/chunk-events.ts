/** What one chunk of an answer tells the readers: thoughts, then text, then tool requests. */
import { Clock, Effect, Random } from "effect"
import type { ModelChunk } from "../model/model-client.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { textOf } from "./answer.ts"
import { type NamedCall, nameCall } from "./call-id.ts"
import { parseThought } from "./thought.ts"

export const partsOf = (chunk: ModelChunk) => chunk.candidates?.[0]?.content?.parts ?? []

/** The function calls of a chunk, each with a name and an id that is unique in the session. */
export const nameCalls = (chunk: ModelChunk): Effect.Effect<ReadonlyArray<NamedCall>> =>
  partsOf(chunk).some((part) => part.functionCall !== undefined) ? named(chunk) : NO_CALLS

const NO_CALLS = Effect.succeed<ReadonlyArray<NamedCall>>([])

const named = Effect.fnUntraced(function* (chunk: ModelChunk) {
  const calls = partsOf(chunk).flatMap((part) => part.functionCall ?? [])
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(calls, (call) =>
    Effect.map(Random.nextIntBetween(0, 1_000_000_000), (counter) => nameCall(call, { now, counter }))
  )
})

export const chunkEvents = (chunk: ModelChunk, calls: ReadonlyArray<NamedCall>): ReadonlyArray<ProtocolEvent> => {
  const events: Array<ProtocolEvent> = []
  for (const part of partsOf(chunk)) {
    if (part.thought === true && part.text !== undefined) events.push({ _tag: "Thought", ...parseThought(part.text) })
  }
  const text = textOf(partsOf(chunk))
  if (text !== "") events.push({ _tag: "Text", text })
  for (const call of calls) {
    events.push({ _tag: "ToolRequested", callId: call.callId, name: call.name, args: call.args })
  }
  return events
}

/** As many chunks may arrive with one read before their texts are joined. */
const MANY = 16

/**
 * A model that is faster than its readers sends hundreds of small pieces of text at once. They are taken as one, so that
 * telling does not take longer than reading; a person sees no difference.
 */
export const gathered = (chunks: ReadonlyArray<ModelChunk>): ReadonlyArray<ModelChunk> => {
  if (chunks.length <= MANY) return chunks
  const result: Array<ModelChunk> = []
  let pieces: Array<string> = []
  let last: ModelChunk | undefined
  const endRun = () => {
    if (last !== undefined) result.push(withText(last, pieces.join("")))
    pieces = []
    last = undefined
  }
  for (const chunk of chunks) {
    const text = plainText(chunk)
    if (text === undefined) {
      endRun()
      result.push(chunk)
    } else {
      pieces.push(text)
      last = chunk
    }
  }
  endRun()
  return result
}

/** The text of a chunk that has one, and nothing else that would be lost in a longer text. */
const plainText = ({ candidates, promptFeedback }: ModelChunk): string | undefined => {
  const candidate = candidates?.[0]
  const parts = candidate?.content?.parts
  const part = parts?.[0]
  return parts?.length === 1 &&
    part?.text !== undefined &&
    part.thought !== true &&
    part.thoughtSignature === undefined &&
    part.functionCall === undefined &&
    candidate?.finishReason === undefined &&
    candidate?.citationMetadata === undefined &&
    promptFeedback === undefined
    ? part.text
    : undefined
}

/** Counts and names of the last chunk hold for all of them. */
const withText = (chunk: ModelChunk, text: string): ModelChunk => ({
  ...chunk,
  candidates: [{ content: { role: "model", parts: [{ text }] } }]
})
