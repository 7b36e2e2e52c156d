/**
 * Marks in an answer that was grounded in the web, and the list of its sources. Positions are given in bytes of UTF-8,
 * so a text with other than ASCII characters has to be counted as bytes.
 */
import { Option, Schema } from "effect"
import type { ModelChunk } from "../../model/model-client.ts"

const Grounding = Schema.Struct({
  groundingChunks: Schema.optional(
    Schema.Array(
      Schema.Struct({
        web: Schema.optional(
          Schema.Struct({ uri: Schema.optional(Schema.String), title: Schema.optional(Schema.String) })
        )
      })
    )
  ),
  groundingSupports: Schema.optional(
    Schema.Array(
      Schema.Struct({
        segment: Schema.optional(Schema.Struct({ endIndex: Schema.optional(Schema.Number) })),
        groundingChunkIndices: Schema.optional(Schema.Array(Schema.Number))
      })
    )
  )
})
export type Grounding = typeof Grounding.Type

/** What an answer is grounded in; empty when it says nothing, or something else than expected. */
export const groundingOf = (chunk: ModelChunk): Grounding =>
  Option.getOrElse(Schema.decodeUnknownOption(Grounding)(chunk.candidates?.[0]?.groundingMetadata ?? {}), () => ({}))

export const withCitations = (text: string, grounding: Grounding): string => {
  const sources = grounding.groundingChunks ?? []
  if (sources.length === 0) return text
  const lines = sources.map(
    ({ web }, index) => `[${index + 1}] ${oneLine(web?.title ?? "Untitled")} (${oneLine(web?.uri ?? "no address")})`
  )
  return `${withMarks(text, grounding)}\n\nSources:\n${lines.join("\n")}`
}

const withMarks = (text: string, { groundingChunks = [], groundingSupports = [] }: Grounding): string => {
  const marks = groundingSupports
    .flatMap(({ groundingChunkIndices = [], segment }) => {
      const known = groundingChunkIndices.filter((index) => index in groundingChunks)
      const at = segment?.endIndex
      return at === undefined || known.length === 0
        ? []
        : [{ at, mark: known.map((index) => `[${index + 1}]`).join("") }]
    })
    .sort((a, b) => a.at - b.at)
  const bytes = new TextEncoder().encode(text)
  const decoder = new TextDecoder()
  const pieces: Array<string> = []
  let from = 0
  for (const { at, mark } of marks) {
    const end = characterEnd(bytes, at)
    pieces.push(decoder.decode(bytes.subarray(from, end)), mark)
    from = Math.max(from, end)
  }
  pieces.push(decoder.decode(bytes.subarray(from)))
  return pieces.join("")
}

/** A position inside a character is moved behind it. */
const characterEnd = (bytes: Uint8Array, at: number): number => {
  let end = Math.min(Math.max(0, at), bytes.length)
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1
  return end
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
