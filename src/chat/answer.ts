/**
 * One answer of the model, collected from its chunks, and what each of them tells the readers. Whether the answer can
 * be used is judged in `answer-check.ts`.
 */

import { Clock, Effect, Random } from "effect"
import type { ModelChunk } from "../model/model-client.ts"
import type { Content, Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { UsageMetadata } from "../protocol/usage.ts"
import { type NamedCall, nameCall, type OtherCalls } from "./call-id.ts"
import { isValidPart } from "./request-contents.ts"

export interface Answer {
  /** What goes into the history: neighbouring texts joined, thoughts left out. */
  readonly parts: ReadonlyArray<Part>
  readonly calls: ReadonlyArray<NamedCall>
  readonly text: string
  readonly sawThought: boolean
  readonly finishReason: string | undefined
  readonly finishMessage: string | undefined
  readonly usage: UsageMetadata | undefined
  readonly modelVersion: string | undefined
  readonly responseId: string | undefined
  readonly paidCredits: ModelChunk["paidCredits"]
  readonly citations: ReadonlySet<string>
}

export const emptyAnswer: Answer = {
  parts: [],
  calls: [],
  text: "",
  sawThought: false,
  finishReason: undefined,
  finishMessage: undefined,
  usage: undefined,
  modelVersion: undefined,
  responseId: undefined,
  paidCredits: undefined,
  citations: new Set()
}

/** `calls` are the named calls of this chunk, in the order of its function-call parts. */
export const addChunk = (answer: Answer, chunk: ModelChunk, calls: ReadonlyArray<NamedCall>): Answer => {
  const candidate = chunk.candidates?.[0]
  const parts = candidate?.content?.parts ?? []
  const visible = parts.filter((part) => part.thought !== true)
  const sources = candidate?.citationMetadata?.citations ?? []
  const joined = joinParts(answer.parts, withCallIds(visible, calls))
  return {
    parts: joined,
    calls: calls.length === 0 ? answer.calls : [...answer.calls, ...calls],
    // Most answers are one text: then this is that very text, and a long one is put together once.
    text: textOf(joined),
    sawThought: answer.sawThought || visible.length < parts.length,
    finishReason: candidate?.finishReason ?? blockedPrompt(chunk) ?? answer.finishReason,
    finishMessage: candidate?.finishMessage ?? chunk.promptFeedback?.blockReasonMessage ?? answer.finishMessage,
    usage: chunk.usageMetadata ?? answer.usage,
    modelVersion: chunk.modelVersion ?? answer.modelVersion,
    responseId: chunk.responseId ?? answer.responseId,
    paidCredits: addCredits(answer.paidCredits, chunk.paidCredits),
    citations: sources.length === 0 ? answer.citations : new Set([...answer.citations, ...sources.flatMap(citation)])
  }
}

const addCredits = (before: Answer["paidCredits"], more: Answer["paidCredits"]): Answer["paidCredits"] =>
  before === undefined || more === undefined
    ? (more ?? before)
    : { ...before, ...more, consumed: before.consumed + more.consumed }

/** The answer as the history keeps it; `inPlace` of its text where that must not stand there. Parts that say nothing are left out. */
export const contentOf = (answer: Answer, inPlace: Content | undefined): Content | undefined => {
  if (inPlace !== undefined && answer.calls.length === 0) return inPlace
  const kept = inPlace === undefined ? answer.parts : answer.parts.filter((part) => part.functionCall !== undefined)
  const parts = kept.filter(isValidPart)
  return parts.length === 0 ? undefined : { role: "model", parts }
}

/** What had come when somebody ended the work: calls that nobody made are left out. */
export const interruptedAnswer = ({ parts }: Answer): Content => ({
  role: "model",
  parts: [...parts.filter((part) => part.functionCall === undefined && isValidPart(part)), { text: INTERRUPTED }]
})

const INTERRUPTED = "[My answer was interrupted here.]"

export const textOf = (parts: ReadonlyArray<Part>): string =>
  parts.reduce((text, part) => (part.thought === true ? text : text + (part.text ?? "")), "")

/** A prompt that was refused has no candidate: the reason takes the place of a finish reason. */
const blockedPrompt = (chunk: ModelChunk): string | undefined => {
  const reason = chunk.promptFeedback?.blockReason
  return reason === undefined || reason === "BLOCK_REASON_UNSPECIFIED" ? undefined : reason
}

const citation = (source: { readonly uri?: string | undefined; readonly title?: string | undefined }) =>
  source.uri === undefined ? [] : [source.title === undefined ? source.uri : `(${source.title}) ${source.uri}`]

/** The history names each call as the rest of the program does. */
const withCallIds = (parts: ReadonlyArray<Part>, calls: ReadonlyArray<NamedCall>): ReadonlyArray<Part> => {
  if (calls.length === 0) return parts
  let next = 0
  return parts.map((part) => {
    if (part.functionCall === undefined) return part
    const call = calls[next++]
    return call === undefined
      ? part
      : { ...part, functionCall: { ...part.functionCall, id: call.callId, name: call.name, args: call.args } }
  })
}

const joinParts = (before: ReadonlyArray<Part>, added: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  if (added.length === 0) return before
  const joined = [...before]
  for (const part of added) {
    const last = joined.at(-1)
    if (last !== undefined && isPlainText(last) && isPlainText(part)) {
      joined[joined.length - 1] = { ...last, ...part, text: (last.text ?? "") + (part.text ?? "") }
    } else joined.push(part)
  }
  return joined
}

const isPlainText = (part: Part): boolean =>
  part.text !== undefined &&
  part.functionCall === undefined &&
  part.functionResponse === undefined &&
  part.inlineData === undefined &&
  part.fileData === undefined

/** What one chunk of an answer tells the readers: thoughts, then text, then tool requests. */
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
