/** What one chunk of an answer tells the readers: thoughts, then text, then tool requests. */
import { Clock, Effect, Random } from "effect"
import type { ModelChunk } from "../model/model-client.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { textOf } from "./answer.ts"
import { type NamedCall, nameCall, type OtherCalls } from "./call-id.ts"

export const partsOf = (chunk: ModelChunk) => chunk.candidates?.[0]?.content?.parts ?? []

/** The function calls of a chunk, each with a name and an id that is unique in the session. */
export const nameCalls = (chunk: ModelChunk, others: OtherCalls): Effect.Effect<ReadonlyArray<NamedCall>> =>
  partsOf(chunk).some((part) => part.functionCall !== undefined) ? named(chunk, others) : NO_CALLS

const NO_CALLS = Effect.succeed<ReadonlyArray<NamedCall>>([])

const named = Effect.fnUntraced(function* (chunk: ModelChunk, { hasCall, ofAnswer }: OtherCalls) {
  const now = yield* Clock.currentTimeMillis
  const calls: Array<NamedCall> = []
  for (const call of partsOf(chunk).flatMap((part) => part.functionCall ?? [])) {
    const counter = yield* Random.nextIntBetween(0, 1_000_000_000)
    calls.push(nameCall(call, { now, counter }, { hasCall, ofAnswer: [...ofAnswer, ...calls] }))
  }
  return calls
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

/** A thought of the model: a bold subject, then the description. */
interface ThoughtSummary {
  readonly subject: string
  readonly description: string
}

export const parseThought = (text: string): ThoughtSummary => {
  const open = text.indexOf("**")
  const close = open === -1 ? -1 : text.indexOf("**", open + 2)
  return close === -1
    ? { subject: "", description: text.trim() }
    : {
        subject: text.slice(open + 2, close).trim(),
        description: `${text.slice(0, open)}${text.slice(close + 2)}`.trim()
      }
}
