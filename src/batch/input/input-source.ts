/** Where items come from: JSONL, CSV with a header, or files by a pattern. All of them can be gone through again. */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { Effect } from "effect"
import { ignoreRules } from "../../files/ignore-rules.ts"
import { messageOf } from "../../kernel/cause-chain.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { type BatchError, badInput, storageFault } from "../batch-error.ts"
import { type RawItem, rawItem } from "./batch-item.ts"
import { linesOf, type SourceLine } from "./line-reader.ts"

export interface InputSource {
  /** How people know it. */
  readonly name: string
  /** From the beginning, each time. */
  readonly items: () => Iterable<RawItem>
  /** Of all that the items are made of: another one is another input. */
  readonly fingerprint: () => string
}

export type InputKind = "jsonl" | "csv" | "glob"

/** `path` is a file that can be read again. */
export const fileSource = (
  path: string,
  kind: Exclude<InputKind, "glob">,
  name = path
): Effect.Effect<InputSource, BatchError> =>
  Effect.gen(function* () {
    const stat = yield* Effect.try({
      try: () => statSync(path),
      catch: (cause) => badInput(storageFault(name, "read", cause).message, "Check the path of the input.")
    })
    if (stat.isDirectory())
      return yield* badInput(`${name} is a folder`, "Name a file, or use --glob for files in folders.")
    const fingerprint = () => fileFingerprint(path)
    if (kind === "jsonl") return { name, items: () => jsonlItems(path), fingerprint }
    const header = yield* headerOf(path, name)
    return { name, items: () => csvItems(path, header), fingerprint }
  })

const PIECE_BYTES = 1024 * 1024

const fileFingerprint = (path: string): string => {
  const hasher = new Bun.CryptoHasher("sha256")
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  const descriptor = openSync(path, "r")
  try {
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      hasher.update(piece.subarray(0, read))
    }
  } finally {
    closeSync(descriptor)
  }
  return shortDigest(hasher)
}

const shortDigest = (hasher: Bun.CryptoHasher): string => hasher.digest("hex").slice(0, 32)

function* jsonlItems(path: string): Generator<RawItem, void> {
  for (const line of linesOf(path)) {
    const item = rawItem(line)
    if (item !== undefined) yield item
  }
}

const headerOf = Effect.fnUntraced(function* (path: string, name: string) {
  const first = yield* Effect.try({
    try: () => {
      for (const row of csvRows(linesOf(path))) return row
      return undefined
    },
    catch: (cause) => storageFault(name, "read", cause)
  })
  if (first === undefined) return yield* badInput(`${name} is empty`, "CSV begins with a line of names.")
  if (first.fault !== undefined) return yield* badInput(`${name}:${first.line}: ${first.fault}`)
  const names = first.cells.map((cell) => cell.trim())
  const double = names.find((cell, index) => names.indexOf(cell) !== index)
  if (double !== undefined) return yield* badInput(`${name}:${first.line}: two columns are called "${double}"`)
  return names
})

function* csvItems(path: string, header: ReadonlyArray<string>): Generator<RawItem, void> {
  let isHeader = true
  for (const { cells, fault, line } of csvRows(linesOf(path))) {
    if (isHeader) {
      isHeader = false
      continue
    }
    const why = fault ?? (cells.length === header.length ? undefined : countFault(cells.length, header.length))
    yield why === undefined
      ? { line, fields: Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ""])) }
      : { line, fields: {}, fault: why }
  }
}

const countFault = (cells: number, columns: number): string => `the row has ${cells} fields, and the header ${columns}`

/** Each file is an item: its path is the key, and the file goes to the model. What ignore files hide is left out. */
export const globSource = (pattern: string, cwd: string): Effect.Effect<InputSource, BatchError> =>
  Effect.gen(function* () {
    const found = yield* Effect.try({
      try: () => [...new Bun.Glob(pattern).scanSync({ cwd, onlyFiles: true, dot: false })],
      catch: (cause) => badInput(`--glob "${pattern}" cannot be used: ${messageOf(cause)}`)
    })
    const rules = ignoreRules({ root: cwd, respectGitIgnore: true, respectGeminiIgnore: true, customFiles: [] })
    const paths = found
      .filter((path) => !path.split("/").includes("node_modules") && !rules.ignores(resolve(cwd, path), false))
      .sort()
    return { name: `--glob ${pattern}`, items: () => fileItems(paths), fingerprint: () => filesFingerprint(paths, cwd) }
  })

/** Of the files as they are now, without reading them. */
const filesFingerprint = (paths: ReadonlyArray<string>, cwd: string): string => {
  const hasher = new Bun.CryptoHasher("sha256")
  for (const path of paths) {
    const stat = statOrNone(resolve(cwd, path))
    hasher.update(`${path}\0${stat?.size}\0${stat?.mtimeMs}\0`)
  }
  return shortDigest(hasher)
}

function* fileItems(paths: ReadonlyArray<string>): Generator<RawItem, void> {
  let line = 0
  for (const path of paths) {
    line += 1
    yield { line, fields: { id: path, path, name: path.slice(path.lastIndexOf("/") + 1), file: path } }
  }
}

interface CsvRow {
  /** Where it begins. */
  readonly line: number
  readonly cells: ReadonlyArray<string>
  readonly fault?: string
}

/** A quote that is never closed swallows the rest of a file: more lines than this are a mistake. */
const LONGEST_ROW_LINES = 10_000

/**
 * Rows of CSV as RFC 4180 has it: fields in quotes may hold commas, quotes (doubled) and line ends. Lines come from a
 * reader of lines, so that memory stays flat; a field that goes on over lines is put together again here.
 */
export function* csvRows(lines: Iterable<SourceLine>): Generator<CsvRow, void> {
  let open: { readonly line: number; readonly texts: Array<string> } | undefined
  for (const { fault, number, text } of lines) {
    if (fault !== undefined) {
      open = undefined
      yield { line: number, cells: [], fault }
      continue
    }
    const first = open === undefined && number === 1 ? text.replace(/^\ufeff/, "") : text
    if (open === undefined && first.trim() === "") continue
    const row: { readonly line: number; readonly texts: Array<string> } = open ?? { line: number, texts: [] }
    row.texts.push(first)
    open = undefined
    const cells = hasOddQuotes(row.texts) ? undefined : cellsOf(row.texts.join("\n"))
    if (cells === undefined && row.texts.length < LONGEST_ROW_LINES) open = row
    else if (cells === undefined) yield { line: row.line, cells: [], fault: UNCLOSED }
    else yield typeof cells === "string" ? { line: row.line, cells: [], fault: cells } : { line: row.line, cells }
  }
  if (open !== undefined) yield { line: open.line, cells: [], fault: UNCLOSED }
}

const UNCLOSED = "a field in quotes is never closed"

/** Quotes come in pairs wherever a row ends, since one inside a field is doubled. */
const hasOddQuotes = (texts: ReadonlyArray<string>): boolean => {
  let quotes = 0
  for (const text of texts) for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) quotes += 1
  return quotes % 2 === 1
}

/** A text: what is wrong with the row. */
const cellsOf = (row: string): ReadonlyArray<string> | string => {
  const text = row.endsWith("\r") ? row.slice(0, -1) : row
  const cells: Array<string> = []
  for (let at = 0; ; ) {
    if (text[at] !== '"') {
      const comma = text.indexOf(",", at)
      const cell = text.slice(at, comma === -1 ? text.length : comma)
      if (cell.includes('"')) return "a quote stands in a field that is not in quotes"
      cells.push(cell)
      if (comma === -1) return cells
      at = comma + 1
      continue
    }
    let end = text.indexOf('"', at + 1)
    while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
    if (end === -1) return UNCLOSED
    cells.push(
      text
        .slice(at + 1, end)
        .replaceAll('""', '"')
        .replaceAll("\r\n", "\n")
    )
    if (end + 1 === text.length) return cells
    if (text[end + 1] !== ",") return "something stands behind the closing quote of a field"
    at = end + 2
  }
}
