/**
 * One JSON text of the API, decoded once at the border. Fields that we do not name are kept, so that recordings lose
 * nothing and newer kinds of parts find their way back to the API.
 */
import { type DateTime, Either, ParseResult, Predicate, Schema } from "effect"
import { badResponse, classifyRefusal, type FailureContext } from "../retry/classify.ts"
import { ModelError } from "../retry/model-error.ts"
import { ModelChunk } from "./model-client.ts"
import { plainChunk } from "./plain-chunk.ts"

export interface DecodeContext extends FailureContext {
  readonly now: DateTime.Utc
}

export const decodeChunks = (
  text: string,
  context: DecodeContext
): Either.Either<ReadonlyArray<ModelChunk>, ModelError> => decodeValue(parseJson(text), text, context)

/** `undefined`, for which no JSON text stands: it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * `value` is what the text says: a chunk, a list of chunks (how the API streams without server-sent events), or an error
 * object under status 200.
 */
export const decodeValue = (
  value: unknown,
  text: string,
  context: DecodeContext
): Either.Either<ReadonlyArray<ModelChunk>, ModelError> => {
  if (value === undefined) return Either.left(badResponse(text, context))
  const plain = plainChunk(value)
  if (plain !== undefined) return Either.right([plain])
  const refusal = refusalIn(value, text, context)
  if (refusal !== undefined) return Either.left(refusal)
  return Array.isArray(value)
    ? Either.all(value.map((element) => decodeChunk(element, context)))
    : Either.map(decodeChunk(value, context), (chunk) => [chunk])
}

export const isJson = (text: string): boolean => parseJson(text) !== undefined

const refusalIn = (value: unknown, text: string, context: DecodeContext): ModelError | undefined => {
  const first = Array.isArray(value) ? value.find((element) => Predicate.hasProperty(element, "error")) : value
  if (!Predicate.hasProperty(first, "error")) return undefined
  const code = Predicate.hasProperty(first.error, "code") ? first.error.code : undefined
  return classifyRefusal({
    ...context,
    status: typeof code === "number" && Number.isInteger(code) ? code : 500,
    body: Array.isArray(value) ? JSON.stringify(first) : text
  })
}

const KEEP_UNKNOWN = { onExcessProperty: "preserve" } as const

const decodeChunk = (value: unknown, context: FailureContext): Either.Either<ModelChunk, ModelError> =>
  Either.mapBoth(Schema.decodeUnknownEither(ModelChunk, KEEP_UNKNOWN)(value), {
    onLeft: (issue) => unreadable(issue, context),
    onRight: withCitations
  })

const unreadable = (issue: ParseResult.ParseError, { model, phase }: FailureContext): ModelError => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(issue)
  const where = first === undefined || first.path.length === 0 ? "the chunk" : first.path.map(String).join(".")
  return new ModelError({
    kind: "bad-response",
    detail: `the answer cannot be read: ${where}: ${first?.message ?? "unexpected shape"}`,
    errorType: "BAD_RESPONSE",
    phase,
    ...(model === undefined ? {} : { model })
  })
}

/** The Gemini API says `citationSources` where Vertex AI, and everything above this file, says `citations`. */
const withCitations = (chunk: ModelChunk): ModelChunk =>
  chunk.candidates?.some((candidate) => candidate.citationMetadata?.citationSources !== undefined) === true
    ? { ...chunk, candidates: chunk.candidates.map(renameCitations) }
    : chunk

type Candidate = NonNullable<ModelChunk["candidates"]>[number]

const renameCitations = (candidate: Candidate): Candidate => {
  const { citationSources, ...metadata } = candidate.citationMetadata ?? {}
  return citationSources === undefined
    ? candidate
    : { ...candidate, citationMetadata: { citations: citationSources, ...metadata } }
}
