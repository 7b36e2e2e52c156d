/** `hooks.toml` of the user or of a project: tables `[hooks.<Event>]` or `[[hooks.<Event>]]`. Loaded where there is one. */
import { Predicate } from "effect"
import { parse, TomlError } from "smol-toml"
import { type Definitions, fromTable, type PlaceOf } from "./definitions.ts"
import type { HookSource } from "./hook.ts"

export const readHooksToml = (text: string, source: HookSource): Definitions => {
  try {
    const { hooks, ...rest } = parse(text)
    const read = fromTable(hooks, source, lineFinder(text))
    const strangers = Object.keys(rest).map((name) => `${source.file}: ${name} has no meaning here; only hooks has`)
    return { ...read, problems: [...read.problems, ...strangers] }
  } catch (cause) {
    return { hooks: [], problems: [syntaxFault(source.file, cause)] }
  }
}

const syntaxFault = (file: string, cause: unknown): string => {
  const [message = ""] = (Predicate.isError(cause) ? cause.message : String(cause)).split("\n")
  return `${file}:${cause instanceof TomlError ? cause.line : 1}: ${message.replace(/^Invalid TOML document: /, "")}`
}

/** The parser keeps no positions: the lines of the headers are looked for. */
const lineFinder = (text: string): PlaceOf => {
  const lines = text.split("\n")
  return (event, index) => {
    const name = event.replace(/[^\w]/g, "\\$&")
    const header = new RegExp(
      `^\\s*(?:\\[\\[?\\s*hooks\\s*\\.\\s*"?${name}"?\\s*\\]|(?:hooks\\s*\\.\\s*)?"?${name}"?\\s*=)`
    )
    const found = lines.flatMap((line, at) => (header.test(line) ? [at + 1] : []))
    return found[index] ?? found[0]
  }
}
