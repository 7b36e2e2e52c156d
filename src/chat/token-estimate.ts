/** Token counts without asking the service: good enough to decide about limits, and never slow. */
import type { Content, Part } from "../protocol/content.ts"

const ASCII_TOKENS = 0.25
const OTHER_TOKENS = 1.5
/** Longer texts are measured by their length alone. */
const COUNTED_CHARACTERS = 100_000
const IMAGE_TOKENS = 3000
const PDF_TOKENS = 25_800
const MAX_DEPTH = 3

export const estimateParts = (parts: ReadonlyArray<Part>): number => Math.floor(sumParts(parts, 0))

export const estimateContents = (contents: ReadonlyArray<Content>): number =>
  Math.floor(contents.reduce((sum, content) => sum + sumParts(content.parts, 0), 0))

export const estimateText = (text: string): number => Math.floor(textTokens(text))

/** Only the service can count media exactly. */
export const holdsMedia = (parts: ReadonlyArray<Part>): boolean =>
  parts.some((part) => part.inlineData !== undefined || part.fileData !== undefined)

const sumParts = (parts: ReadonlyArray<Part>, depth: number): number =>
  depth > MAX_DEPTH ? 0 : parts.reduce((sum, part) => sum + partTokens(part, depth), 0)

const partTokens = (part: Part, depth: number): number => {
  if (part.text !== undefined) return textTokens(part.text)
  const response = part.functionResponse
  if (response !== undefined) {
    const own = ((response.name ?? "").length + jsonLength(response.response)) * ASCII_TOKENS
    return own + sumParts((response.parts ?? []) as ReadonlyArray<Part>, depth + 1)
  }
  const mime = part.inlineData?.mimeType ?? part.fileData?.mimeType
  if (mime?.startsWith("image/")) return IMAGE_TOKENS
  if (mime === "application/pdf") return PDF_TOKENS
  return jsonLength(part) * ASCII_TOKENS
}

const textTokens = (text: string): number => {
  if (text.length > COUNTED_CHARACTERS) return text.length * ASCII_TOKENS
  let tokens = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // The second half of a pair belongs to the character that the first half counted.
    if (code >= 0xdc00 && code <= 0xdfff) continue
    tokens += code <= 0x7f ? ASCII_TOKENS : OTHER_TOKENS
  }
  return tokens
}

const jsonLength = (value: unknown): number => (JSON.stringify(value) ?? "").length
