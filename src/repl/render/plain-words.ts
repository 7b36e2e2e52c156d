/** Names, descriptions and output of tools as harmless text. */
import { stripAnsi } from "../../kernel/sanitize.ts"
import { readableText } from "../../kernel/visible-text.ts"

export const cleanText = (text: string): string => readableText(stripAnsi(text))

export const cleanLines = (text: string): ReadonlyArray<string> => {
  const clean = cleanText(text).trimEnd()
  return clean === "" ? [] : clean.split("\n")
}

/** All of it in one line. */
export const oneLine = (text: string): string => cleanText(text).replace(/\s+/g, " ").trim()
