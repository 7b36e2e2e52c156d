/** The prompt of an item, from a template over its fields: `Translate {{text}} into {{lang}}`. Pure. */
import { Either, Predicate } from "effect"

export type Fields = { readonly [name: string]: unknown }

export interface Template {
  /** Names that it asks for, each once. */
  readonly names: ReadonlyArray<string>
  /** Left: why this item has no prompt. */
  readonly fill: (fields: Fields) => Either.Either<string, string>
}

const PLACE = /\{\{\s*([^{}]+?)\s*\}\}/g

export const templateOf = (text: string): Template => {
  const pieces: Array<string> = []
  const places: Array<string> = []
  let from = 0
  for (const match of text.matchAll(PLACE)) {
    pieces.push(text.slice(from, match.index))
    places.push(match[1] ?? "")
    from = match.index + match[0].length
  }
  const last = text.slice(from)
  return {
    names: [...new Set(places)],
    fill: (fields) => {
      let filled = ""
      for (const [index, name] of places.entries()) {
        const value = fieldOf(fields, name)
        if (value === undefined) return Either.left(`the template asks for {{${name}}}, and the item has no such field`)
        filled += (pieces[index] ?? "") + textOf(value)
      }
      return Either.right(filled + last)
    }
  }
}

/** A field by its name; where there is none of that name, dots lead into objects. */
export const fieldOf = (fields: Fields, name: string): unknown => {
  if (Object.hasOwn(fields, name)) return fields[name]
  let value: unknown = fields
  for (const step of name.split(".")) {
    if (!Predicate.isRecord(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}

/** Text stands as it is, everything else as JSON. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
