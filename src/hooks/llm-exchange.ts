/**
 * A model request and its answer as hooks see them, and back. The form is stable, whatever the API does: texts by
 * role, a handful of parameters. What it does not show (calls, results, thoughts, media, tools) stays as it was.
 */
import { Predicate } from "effect"
import type { Content, Part, Role } from "../protocol/content.ts"
import type { UsageMetadata } from "../protocol/usage.ts"

/** An answer, or one piece of it. */
export interface HookedResponse {
  readonly parts: ReadonlyArray<Part>
  readonly finishReason?: string | undefined
  readonly safetyRatings?: unknown
  readonly usage?: UsageMetadata | undefined
}

/** What a hook says in place of the model. */
export interface SpokenResponse {
  readonly texts: ReadonlyArray<string>
  readonly finishReason: string | undefined
}

export const toLlmResponse = ({ finishReason, parts, safetyRatings, usage }: HookedResponse) => {
  const text = parts.filter(isText).map((part) => part.text)
  return {
    ...(text.length === 0 ? {} : { text: text.join("") }),
    candidates: [
      {
        content: { role: "model", parts: text },
        ...(finishReason === undefined ? {} : { finishReason }),
        index: 0,
        ...(Array.isArray(safetyRatings) ? { safetyRatings } : {})
      }
    ],
    ...(usage === undefined
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.promptTokenCount,
            candidatesTokenCount: usage.candidatesTokenCount,
            totalTokenCount: usage.totalTokenCount
          }
        })
  }
}

/** `undefined` where it holds no part: then nothing is replaced. */
export const readLlmResponse = (value: unknown): SpokenResponse | undefined => {
  if (!Predicate.isReadonlyRecord(value)) return undefined
  const candidate: unknown = Array.isArray(value.candidates) ? value.candidates[0] : undefined
  const content = Predicate.isReadonlyRecord(candidate) ? candidate.content : undefined
  const parts = Predicate.isReadonlyRecord(content) && Array.isArray(content.parts) ? content.parts : []
  const texts = parts.flatMap(textOf)
  const finishReason = Predicate.isReadonlyRecord(candidate) ? candidate.finishReason : undefined
  const said = texts.length > 0 ? texts : typeof value.text === "string" ? [value.text] : []
  return said.length === 0
    ? undefined
    : { texts: said, finishReason: typeof finishReason === "string" ? finishReason : undefined }
}

/** The parts with these texts in the place of the old ones. */
export const withTexts = (parts: ReadonlyArray<Part>, texts: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const spoken = texts.map((text): Part => ({ text }))
  const first = parts.findIndex(isText)
  // Without a text of its own, an answer is a thought followed by calls: words stand between them.
  const at = first === -1 ? leadingThoughts(parts) : first
  const rest = (some: ReadonlyArray<Part>) => some.filter((part) => !isText(part))
  return [...rest(parts.slice(0, at)), ...spoken, ...rest(parts.slice(at))]
}

const leadingThoughts = (parts: ReadonlyArray<Part>): number => {
  const end = parts.findIndex((part) => part.thought !== true)
  return end === -1 ? parts.length : end
}

/** A part is a string; the form of the API is understood as well. */
const textOf = (part: unknown): ReadonlyArray<string> => {
  if (typeof part === "string") return [part]
  return Predicate.isReadonlyRecord(part) && typeof part.text === "string" ? [part.text] : []
}

/** The parts of a request that hooks have a say in. */
export interface HookedRequest {
  readonly model: string
  readonly contents: ReadonlyArray<Content>
  readonly config: Readonly<Record<string, unknown>>
}

interface LlmRequest {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: "user" | "model" | "system"; readonly content: string }>
  readonly config: Readonly<Record<string, unknown>>
  readonly toolConfig?: unknown
}

const PARAMETERS = ["temperature", "maxOutputTokens", "topP", "topK"] as const

/**
 * A model request as hooks see it, and back. The form is stable, whatever the API does: texts by role, a handful of
 * parameters. What it does not show (calls, results, media, tools) stays as it was.
 */
export const toLlmRequest = ({ config, contents, model }: HookedRequest): LlmRequest => {
  const toolConfig = functionCallingOf(config)
  return {
    model,
    messages: contents.flatMap((content) => (hasText(content) ? [messageOf(content)] : [])),
    config: picked(config),
    ...(toolConfig === undefined ? {} : { toolConfig })
  }
}

/** The request with what the hook changed; the very same contents where it changed none. */
export const withLlmRequest = (
  request: HookedRequest,
  changed: Readonly<Record<string, unknown>>
): {
  readonly contents: ReadonlyArray<Content>
  readonly config: HookedRequest["config"]
  readonly model?: string
} => ({
  contents: Array.isArray(changed.messages) ? withMessages(request.contents, changed.messages) : request.contents,
  config: Predicate.isReadonlyRecord(changed.config)
    ? { ...request.config, ...picked(changed.config) }
    : request.config,
  ...(typeof changed.model === "string" && changed.model !== "" && changed.model !== request.model
    ? { model: changed.model }
    : {})
})

const picked = (config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(PARAMETERS.flatMap((name) => (typeof config[name] === "number" ? [[name, config[name]]] : [])))

const functionCallingOf = ({ toolConfig }: HookedRequest["config"]): unknown =>
  Predicate.isReadonlyRecord(toolConfig) ? toolConfig.functionCallingConfig : undefined

/** Words that are said aloud: no thought, no call, no result. */
const isText = (part: Part): part is Part & { readonly text: string } =>
  part.text !== undefined &&
  part.thought !== true &&
  part.functionCall === undefined &&
  part.functionResponse === undefined

const hasText = ({ parts }: Content): boolean => parts.some(isText)

const messageOf = ({ parts, role }: Content) => ({
  role,
  content: parts
    .filter(isText)
    .map(({ text }) => text)
    .join("")
})

interface Message {
  readonly role: Role
  readonly content: string
}

/** Turns with text take the messages in their order; the others stay. Messages that are left over come at the end. */
const withMessages = (contents: ReadonlyArray<Content>, messages: ReadonlyArray<unknown>): ReadonlyArray<Content> => {
  const given = messages.map(readMessage)
  let next = 0
  const kept = contents.map((content) => {
    if (!hasText(content)) return content
    const message = given[next++]
    return message === undefined ? content : spoken(content, message)
  })
  const surplus = given.slice(next).flatMap((message) => message ?? [])
  return [...kept, ...surplus.map(({ content, role }): Content => ({ role, parts: [{ text: content }] }))]
}

const readMessage = (message: unknown): Message | undefined =>
  Predicate.isReadonlyRecord(message) && typeof message.content === "string"
    ? { role: message.role === "model" ? "model" : "user", content: message.content }
    : undefined

const spoken = (content: Content, message: Message): Content => {
  const before = messageOf(content)
  if (before.content === message.content && before.role === message.role) return content
  return { role: message.role, parts: [{ text: message.content }, ...content.parts.filter((part) => !isText(part))] }
}
