/** The JSON in a model's answer: the whole text, else what stands in its code blocks, the last one first. Pure. */
import { Option, Schema } from "effect"

export interface JsonCandidate {
  readonly value: unknown
  /** As the model wrote it. */
  readonly text: string
}

const FENCED = /```[a-zA-Z]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```/g

export const jsonCandidates = (answer: string): ReadonlyArray<JsonCandidate> => {
  const blocks = [...answer.matchAll(FENCED)].map(([, inner]) => inner ?? "").reverse()
  return [answer, ...blocks].flatMap(candidate)
}

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

const candidate = (source: string): ReadonlyArray<JsonCandidate> => {
  const text = source.replace(/^\ufeff/, "").trim()
  return Option.match(parseJson(text), { onNone: () => [], onSome: (value) => [{ value, text }] })
}
