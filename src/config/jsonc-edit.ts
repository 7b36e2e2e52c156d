/** Changes one value in a user's JSON text and leaves comments, order and layout of the rest as they are. */
import { applyEdits, modify } from "jsonc-parser"

/** `undefined` removes the value. An empty text becomes a new object. */
export const editJsonc = (text: string, path: ReadonlyArray<string>, value: unknown): string => {
  const source = text.trim() === "" ? "{}\n" : text
  const eol = source.includes("\r\n") ? "\r\n" : "\n"
  const edits = modify(source, [...path], value, {
    formattingOptions: { insertSpaces: true, tabSize: indentOf(source), eol, insertFinalNewline: true }
  })
  return applyEdits(source, edits)
}

/** Columns of the first indented line; two where nothing is indented yet. */
const indentOf = (text: string): number => /^( +)["}\]/]/m.exec(text)?.[1]?.length ?? 2
