/** First rung: the text stands in the file letter by letter. */
import type { TextEdit } from "./text-edit.ts"

export const exactRung = (content: string, search: string, replacement: string): ReadonlyArray<TextEdit> => {
  const edits: Array<TextEdit> = []
  if (search === "") return edits
  let start = content.indexOf(search)
  while (start >= 0) {
    const end = start + search.length
    edits.push({ start, end, text: replacement })
    start = content.indexOf(search, end)
  }
  return edits
}
