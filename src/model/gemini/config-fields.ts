/**
 * The fields of a request's configuration, and where they stand in its body. They are those of the official SDK, which
 * settings are written for; others are left out, as it does. What stands below them is the API's business: it is sent as
 * it is, newer kinds included, and the API reports what it does not accept.
 */
import type { GenerateContentConfig } from "@google/genai/web"
import { Either, Predicate } from "effect"
import { type GeminiEndpoint, inScope } from "./endpoint.ts"

export type Fields = { readonly [key: string]: unknown }
export type FieldPlace = Pick<GeminiEndpoint, "api" | "scope">

interface Field {
  readonly in: "body" | "generationConfig"
  readonly as?: string
  readonly only?: FieldPlace["api"]
  readonly write?: (value: unknown, place: FieldPlace) => unknown
}

const setting: Field = { in: "generationConfig" }
const own: Field = { in: "body" }

/** `undefined`: means something to the SDK only. */
const FIELDS: { readonly [name in keyof GenerateContentConfig]-?: Field | undefined } = {
  temperature: setting,
  topP: setting,
  topK: setting,
  candidateCount: setting,
  maxOutputTokens: setting,
  stopSequences: setting,
  responseLogprobs: setting,
  logprobs: setting,
  presencePenalty: setting,
  frequencyPenalty: setting,
  seed: setting,
  responseMimeType: setting,
  responseSchema: setting,
  responseJsonSchema: setting,
  responseModalities: setting,
  mediaResolution: setting,
  speechConfig: { ...setting, write: (value) => (typeof value === "string" ? voiceNamed(value) : value) },
  thinkingConfig: setting,
  audioTranscriptionConfig: setting,
  imageConfig: { ...setting, write: (value, { api }) => (api === "vertex" ? imageOptions(value) : value) },
  audioTimestamp: { ...setting, only: "vertex" },
  routingConfig: { ...setting, only: "vertex" },
  modelSelectionConfig: { ...setting, as: "modelConfig", only: "vertex" },
  enableEnhancedCivicAnswers: { ...setting, only: "gemini" },
  systemInstruction: { ...own, write: (value) => contentOf(value) },
  tools: { ...own, write: (value) => (Array.isArray(value) ? value.map(toolOf) : value) },
  toolConfig: own,
  safetySettings: own,
  labels: own,
  cachedContent: { ...own, write: (value, { scope }) => cacheName(String(value), scope) },
  serviceTier: own,
  continuationToken: own,
  store: { ...own, only: "gemini" },
  modelArmorConfig: { ...own, only: "vertex" },
  generationOutputConfig: { ...own, as: "outputConfig", only: "vertex" },
  httpOptions: undefined,
  abortSignal: undefined,
  automaticFunctionCalling: undefined,
  automaticContinuation: undefined
}

const fieldNamed: { readonly [name: string]: Field | undefined } = FIELDS

/** All of the body but the contents; never empty. Left: why it cannot be written. */
export const bodyFields = (given: Fields, place: FieldPlace): Either.Either<Fields, string> => {
  const body: Record<string, unknown> = {}
  const generationConfig: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(withSchema(given, "responseSchema", "responseJsonSchema"))) {
    const field = Object.hasOwn(fieldNamed, name) ? fieldNamed[name] : undefined
    if (field === undefined || value === undefined) continue
    if (field.only !== undefined && field.only !== place.api) {
      return Either.left(`${name} is known to ${field.only === "vertex" ? "Vertex AI" : "the Gemini API"} only`)
    }
    if (value === null) continue
    const target = field.in === "body" ? body : generationConfig
    target[field.as ?? name] = field.write === undefined ? value : field.write(value, place)
  }
  return Either.right({ ...body, generationConfig })
}

/** A schema in the older field is rewritten; one that says that it is JSON Schema moves to the field for those. */
const withSchema = (fields: Fields, older: string, newer: string): Fields => {
  const schema = fields[older]
  if (!Predicate.isReadonlyRecord(schema)) return fields
  if (!Object.hasOwn(schema, "$schema")) return { ...fields, [older]: apiSchema(schema) }
  return fields[newer] === undefined ? { ...fields, [older]: undefined, [newer]: schema } : fields
}

const toolOf = (tool: unknown): unknown =>
  Predicate.isReadonlyRecord(tool) && Array.isArray(tool.functionDeclarations)
    ? { ...tool, functionDeclarations: tool.functionDeclarations.map(declarationOf) }
    : tool

const declarationOf = (declaration: Fields): Fields =>
  withSchema(withSchema(declaration, "parameters", "parametersJsonSchema"), "response", "responseJsonSchema")

/** A text, a part, or a list of them may stand for a message. */
const contentOf = (given: unknown): unknown => {
  if (Predicate.isReadonlyRecord(given) && Array.isArray(given.parts)) return given
  const parts: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  return { role: "user", parts: parts.map((part) => (typeof part === "string" ? { text: part } : part)) }
}

const voiceNamed = (voiceName: string) => ({ voiceConfig: { prebuiltVoiceConfig: { voiceName } } })

const imageOptions = (given: unknown): unknown => {
  if (!Predicate.isReadonlyRecord(given)) return given
  const { imageOutputOptions, outputCompressionQuality, outputMimeType, ...fields } = given
  if (outputMimeType === undefined && outputCompressionQuality === undefined) return given
  const flat = { mimeType: outputMimeType, compressionQuality: outputCompressionQuality }
  return {
    ...fields,
    imageOutputOptions: { ...flat, ...(Predicate.isReadonlyRecord(imageOutputOptions) ? imageOutputOptions : {}) }
  }
}

const cacheName = (name: string, scope: string | undefined): string => {
  if (name.includes("/") && !name.startsWith("cachedContents/")) return name
  return inScope(name.startsWith("cachedContents/") ? name : `cachedContents/${name}`, scope)
}

const TYPES = new Set(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"])

/**
 * A schema in the API's older spelling: types in capitals, `nullable` in place of a null type. JSON Schema has fields of
 * its own; what settings write into the older ones is rewritten as the official SDK does it. What no rewriting could
 * save goes as it is: the API says best what is wrong with it.
 */
const apiSchema = (given: unknown): unknown => {
  if (!Predicate.isReadonlyRecord(given)) return given
  const choice = Array.isArray(given.anyOf) && given.anyOf.length === 2 ? given.anyOf : []
  const nullAt = choice.findIndex(isNull)
  // Null or one other thing: the other takes the place of the choice.
  return nullAt === -1 ? rewritten(given) : { nullable: true, ...rewritten(choice[1 - nullAt]) }
}

const rewritten = (schema: Fields): Fields => {
  const written: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (value !== null && value !== undefined) Object.assign(written, rewrittenField(name, value))
  }
  return written
}

const rewrittenField = (name: string, value: unknown): Fields => {
  if (name === "type") return Array.isArray(value) ? typeChoice(value) : { type: typeName(value) }
  if (name === "items") return { items: apiSchema(value) }
  if (name === "anyOf" && Array.isArray(value)) return orNull({ anyOf: value.filter(isOther).map(apiSchema) }, value)
  if (name === "properties" && Predicate.isReadonlyRecord(value)) {
    return { properties: Object.fromEntries(Object.entries(value).map(([key, each]) => [key, apiSchema(each)])) }
  }
  // The older spelling has no word for it.
  return name === "additionalProperties" ? {} : { [name]: value }
}

/** Several types: a choice between them. */
const typeChoice = (types: ReadonlyArray<unknown>): Fields => {
  const others = types.filter((type) => type !== "null").map(typeName)
  const [only] = others
  return orNull(others.length === 1 ? { type: only } : { anyOf: others.map((type) => ({ type })) }, types)
}

const orNull = (fields: Fields, choice: ReadonlyArray<unknown>): Fields =>
  choice.some((each) => each === "null" || isNull(each)) ? { nullable: true, ...fields } : fields

const typeName = (type: unknown): string => {
  const name = String(type).toUpperCase()
  return TYPES.has(name) ? name : "TYPE_UNSPECIFIED"
}

const isNull = (schema: unknown): boolean => Predicate.isReadonlyRecord(schema) && schema.type === "null"
const isOther = (schema: unknown): boolean => !isNull(schema)
