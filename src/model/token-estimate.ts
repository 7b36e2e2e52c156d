/** Token counts without asking the service: good enough to decide about limits, and never slow. */
import { textTokens } from "../prompt/text-tokens.ts"
import type { Content, Part } from "../protocol/content.ts"

/** Of a character of JSON. */
const JSON_TOKENS = 0.25
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
    const own = ((response.name ?? "").length + jsonLength(response.response)) * JSON_TOKENS
    // What is nested has the form of parts, and is only measured: a field of another type counts as JSON.
    return own + sumParts((response.parts ?? []) as ReadonlyArray<Part>, depth + 1)
  }
  const mime = part.inlineData?.mimeType ?? part.fileData?.mimeType
  if (mime?.startsWith("image/")) return IMAGE_TOKENS
  if (mime === "application/pdf") return PDF_TOKENS
  return jsonLength(part) * JSON_TOKENS
}

const jsonLength = (value: unknown): number => (JSON.stringify(value) ?? "").length
