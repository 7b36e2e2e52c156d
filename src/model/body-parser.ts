/**
 * The body of a streamed answer, parsed as its text arrives. It is one of three things: server-sent events, one JSON
 * document (an error under status 200, or a gateway that does not stream), or something that is no answer at all.
 */
import { type DateTime, Either } from "effect"
import { incompleteAnswer } from "../retry/classify.ts"
import type { ModelError } from "../retry/model-error.ts"
import { decodeValue, isJson, parseJson } from "./decode-chunk.ts"
import type { ModelChunk } from "./model-client.ts"
import { makeEventSplitter } from "./server-events.ts"
import { FEW, TextBurst } from "./text-burst.ts"

/** A failure stands behind the chunks that came before it. */
export interface Parsed {
  readonly chunks: ReadonlyArray<ModelChunk>
  readonly failure?: ModelError
}

export interface BodyParser {
  readonly push: (piece: string) => Parsed
  readonly end: () => Parsed
}

const NOTHING: Parsed = { chunks: [] }

export interface ParserContext {
  readonly model: string
  readonly now: DateTime.Utc
  /**
   * Takes a chunk out of an envelope, where the service has one; `undefined`: it holds none. Such a record is passed over
   * among events, and so is one that cannot be read.
   */
  readonly unwrapped?: (value: unknown) => unknown
}

export const makeBodyParser = ({ unwrapped, ...context }: ParserContext): BodyParser => {
  const splitter = makeEventSplitter()
  const atOpening = { ...context, phase: "open" } as const
  const inBody = { ...context, phase: "body" } as const
  let opening = ""
  let form: "unknown" | "events" | "document" = "unknown"
  let hasBegun = false

  const decodeAll = (texts: ReadonlyArray<string>): Parsed => {
    const chunks: Array<ModelChunk> = []
    const burst = texts.length > FEW ? new TextBurst() : undefined
    for (const text of texts) {
      if (isFiller(text)) continue
      const read = parseJson(text)
      const value = unwrapped === undefined || read === undefined ? read : unwrapped(read)
      if (value === undefined && unwrapped !== undefined && form === "events") continue
      if (burst?.takes(value) !== true) {
        chunks.push(...(burst?.end() ?? []))
        const decoded = decodeValue(value, text, hasBegun ? inBody : atOpening)
        if (Either.isLeft(decoded)) return { chunks, failure: decoded.left }
        chunks.push(...decoded.right)
      }
      hasBegun = true
    }
    chunks.push(...(burst?.end() ?? []))
    return { chunks }
  }

  return {
    push: (piece) => {
      if (form === "events") return decodeAll(splitter.push(piece))
      opening += piece
      if (form === "unknown") form = formOf(opening)
      return form === "events" ? decodeAll(splitter.push(opening)) : NOTHING
    },
    end: () => {
      if (form === "unknown" && opening.trim() === "") return NOTHING
      if (form !== "events") return decodeAll([opening])
      const rest = splitter.rest()
      if (rest.trim() === "") return NOTHING
      return isJson(rest)
        ? decodeAll([rest])
        : { chunks: [], failure: incompleteAnswer({ phase: "body", model: context.model }) }
    }
  }
}

/** Some gateways close a stream as another vendor's API does. */
const isFiller = (text: string): boolean => !text.startsWith("{") && (text === "[DONE]" || text.trim() === "")

const FIELDS = ["data:", "event:", "id:", "retry:", ":"]

/** Told by how the body begins: events do so with the name of a field. */
const formOf = (opening: string): "unknown" | "events" | "document" => {
  const head = opening.trimStart()
  if (FIELDS.some((field) => head.startsWith(field))) return "events"
  return FIELDS.some((field) => field.startsWith(head)) ? "unknown" : "document"
}
