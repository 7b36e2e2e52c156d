/** One item of the input, before anything is done with it: its key, its prompt, and what goes along. */
import { Either, Predicate } from "effect"
import type { SourceLine } from "./line-reader.ts"

/** A line, a row or a file, decoded. */
export interface RawItem {
  /** Line of the input, from 1; of files, their number in order. */
  readonly line: number
  readonly fields: ItemFields
  /** Why it cannot be used. */
  readonly fault?: string
}

export interface BatchItem {
  /** Among those that are begun, in the order of the input, from 0. */
  readonly ordinal: number
  readonly line: number
  readonly key: string
  readonly prompt: string
  /** Paths of files that go to the model beside the prompt. */
  readonly files: ReadonlyArray<string>
  readonly fault?: string
}

export interface ItemOptions {
  /** The field that holds the key; absent: `id` where there is one, else the number of the line. */
  readonly keyField: string | undefined
  readonly template: Template | undefined
  /** The field that names files. */
  readonly fileField: string | undefined
}

/** A line of JSONL: an object, or a text that is the prompt. */
export const rawItem = ({ fault, number, text }: SourceLine): RawItem | undefined => {
  if (fault !== undefined) return { line: number, fields: {}, fault }
  const trimmed = text.trim()
  if (trimmed === "" || trimmed === "\ufeff") return undefined
  let value: unknown
  try {
    value = JSON.parse(number === 1 ? trimmed.replace(/^\ufeff/, "") : trimmed)
  } catch (error) {
    return {
      line: number,
      fields: {},
      fault: `the line is not JSON: ${error instanceof Error ? error.message : error}`
    }
  }
  if (typeof value === "string") return { line: number, fields: { prompt: value, text: value } }
  if (Predicate.isReadonlyRecord(value) && !Array.isArray(value)) return { line: number, fields: value }
  return { line: number, fields: {}, fault: "the line is neither an object nor a text" }
}

/** Left: what is wrong with it. Texts are compared as they are, code point by code point. */
export const keyOf = (
  { fault, fields, line }: RawItem,
  keyField: string | undefined
): Either.Either<string, string> => {
  if (fault !== undefined) return Either.left(fault)
  const value = fieldOf(fields, keyField ?? "id")
  if (value === undefined || value === null) {
    return keyField === undefined ? Either.right(String(line)) : Either.left(`the item has no field "${keyField}"`)
  }
  if (typeof value === "string" && value !== "") return Either.right(value)
  if (typeof value === "number" && Number.isFinite(value)) return Either.right(String(value))
  return Either.left(`a key is a text or a number, and "${keyField ?? "id"}" is ${kindOf(value)}`)
}

/** An item that has no usable key goes by the number of its line. */
export const effectiveKey = (raw: RawItem, keyField: string | undefined): string =>
  Either.getOrElse(keyOf(raw, keyField), () => String(raw.line))

export const batchItem = (raw: RawItem, ordinal: number, options: ItemOptions): BatchItem => {
  const { fields, line } = raw
  const key = keyOf(raw, options.keyField)
  const base = { ordinal, line, key: Either.getOrElse(key, () => String(line)), prompt: "", files: [] }
  if (Either.isLeft(key)) return { ...base, fault: key.left }
  const prompt = promptOf(fields, options.template)
  if (Either.isLeft(prompt)) return { ...base, fault: prompt.left }
  const files = filesOf(fields, options.fileField)
  if (Either.isLeft(files)) return { ...base, fault: files.left }
  if (prompt.right.trim() === "" && files.right.length === 0) return { ...base, fault: "the prompt is empty" }
  return { ...base, prompt: prompt.right, files: files.right }
}

const promptOf = (fields: ItemFields, template: Template | undefined): Either.Either<string, string> => {
  if (template !== undefined) return template.fill(fields)
  const { prompt } = fields
  return typeof prompt === "string"
    ? Either.right(prompt)
    : Either.left(
        prompt === undefined ? 'the item has no field "prompt" (or give a template: -p)' : '"prompt" is no text'
      )
}

const filesOf = (fields: ItemFields, name: string | undefined): Either.Either<ReadonlyArray<string>, string> => {
  if (name === undefined) return Either.right([])
  const value = fieldOf(fields, name)
  if (typeof value === "string" && value !== "") return Either.right([value])
  if (Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "")) return Either.right(value)
  return Either.left(
    value === undefined ? `the item has no field "${name}"` : `"${name}" is neither a path nor a list of paths`
  )
}

const kindOf = (value: unknown): string =>
  value === "" ? "empty" : Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `${typeof value}`

type ItemFields = { readonly [name: string]: unknown }

interface Template {
  /** Names that it asks for, each once. */
  readonly names: ReadonlyArray<string>
  /** Left: why this item has no prompt. */
  readonly fill: (fields: ItemFields) => Either.Either<string, string>
}

const PLACE = /\{\{\s*([^{}]+?)\s*\}\}/g

/** The prompt of an item, from a template over its fields: `Translate {{text}} into {{lang}}`. Pure. */
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
const fieldOf = (fields: ItemFields, name: string): unknown => {
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
