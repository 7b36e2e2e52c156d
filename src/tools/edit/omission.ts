/**
 * Finds placeholders that a model writes instead of text that it was too lazy to repeat ("rest of code ..."). Written
 * to a file they would delete the user's work.
 */
import { ToolFailure } from "../tool.ts"

const OMISSION_PHRASES = new Set([
  "rest of",
  "rest of method",
  "rest of methods",
  "rest of code",
  "unchanged code",
  "unchanged method",
  "unchanged methods"
])

/** Placeholders of a text in normal form, such as `rest of code ...`. */
export const omissionPlaceholders = (text: string): ReadonlyArray<string> =>
  text.includes("...") ? text.split("\n").flatMap((line) => placeholderOf(line) ?? []) : []

/** Placeholders of `text` that do not stand in `known` already. */
export const newOmissionPlaceholders = (text: string, known: string): ReadonlyArray<string> => {
  const old = new Set(omissionPlaceholders(known))
  return omissionPlaceholders(text).filter((placeholder) => !old.has(placeholder))
}

const placeholderOf = (line: string): string | null => {
  const uncommented = line.trim().replace(/^\/\//, "").trim()
  const bare = uncommented.startsWith("(") && uncommented.endsWith(")") ? uncommented.slice(1, -1).trim() : uncommented
  const dots = bare.indexOf("...")
  if (dots < 0) return null
  const phrase = bare.slice(0, dots).trim().toLowerCase().replace(/\s+/g, " ")
  return OMISSION_PHRASES.has(phrase) && /^\.*$/.test(bare.slice(dots + 3).trim()) ? `${phrase} ...` : null
}

/**
 * Secrets are shown to the model as `[REDACTED:NAME]`. Written back, the marker would destroy the secret in the user's
 * file. `replace` puts the secret of the same file back in its place; any other text with a marker that the file itself
 * does not hold is refused.
 */
const MARKER = /\[REDACTED:[^\]\s]{1,200}\]/g

/** `null` when the text may be written. */
export const redactionFault = (text: string, current: string, path: string): ToolFailure | null => {
  const foreign = (text.match(MARKER) ?? []).find((marker) => !current.includes(marker))
  if (foreign === undefined) return null
  return new ToolFailure({
    type: "invalid_tool_params",
    message:
      `Nothing was written to ${path}: the text contains ${foreign}, which stands for a secret that you were not shown. ` +
      "Leave the lines with the secret as they are and change only the lines around them."
  })
}
