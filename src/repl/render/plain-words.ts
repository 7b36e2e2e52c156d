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

export const durationText = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes}m${String(seconds % 60).padStart(2, "0")}s`
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`
}
