/**
 * A model request as hooks see it, and back. The form is stable, whatever the API does: texts by role, a handful of
 * parameters. What it does not show (calls, results, media, tools) stays as it was.
 */
import { Predicate } from "effect"
import type { Content, Part, Role } from "../protocol/content.ts"

/** The parts of a request that hooks have a say in. */
export interface HookedRequest {
  readonly model: string
  readonly contents: ReadonlyArray<Content>
  readonly config: Readonly<Record<string, unknown>>
}

export interface LlmRequest {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: "user" | "model" | "system"; readonly content: string }>
  readonly config: Readonly<Record<string, unknown>>
  readonly toolConfig?: unknown
}

const PARAMETERS = ["temperature", "maxOutputTokens", "topP", "topK"] as const

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
export const isText = (part: Part): part is Part & { readonly text: string } =>
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
