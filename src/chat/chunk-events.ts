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
