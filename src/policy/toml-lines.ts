/** Finds the lines of tables and keys in a TOML text; the parser keeps no positions of values. Lines count from 1. */

/** Lines of `[[name]]`; for an array written inline, the line of its key. */
export const headerLines = (text: string, name: string): ReadonlyArray<number> => {
  const header = new RegExp(`^\\s*(?:\\[\\[\\s*"?${name}"?\\s*\\]\\]|${name}\\s*=)`)
  return linesWhere(text, (line) => header.test(line))
}

/** The line of `[tools.name]`, with or without quotes around the name. */
export const tableLine = (text: string, path: ReadonlyArray<string>): number | undefined => {
  const dotted = path.map((part) => `"?${part.replace(/[^\w]/g, "\\$&")}"?`).join("\\s*\\.\\s*")
  return linesWhere(text, (line) => new RegExp(`^\\s*\\[\\s*${dotted}\\s*\\]`).test(line))[0]
}

/** The line of a key in the table that begins at `from`; `path` may go on below it (`checker.name`). */
export const keyLine = (text: string, from: number, path: string): number | undefined => {
  const [key = ""] = path.split(".")
  if (!/^\w+$/.test(key)) return undefined
  const lines = text.split("\n")
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? ""
    if (/^\s*\[\[/.test(line)) return undefined
    if (new RegExp(`^\\s*"?${key}"?\\s*=`).test(line)) return index + 1
  }
  return undefined
}

const linesWhere = (text: string, isWanted: (line: string) => boolean): ReadonlyArray<number> =>
  text.split("\n").flatMap((line, index) => (isWanted(line) ? [index + 1] : []))
