/** Where items come from: JSONL, CSV with a header, or files by a pattern. All of them can be gone through again. */
import { closeSync, openSync, readSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { Effect } from "effect"
import { ignoreRules } from "../../files/ignore-rules.ts"
import { messageOf } from "../../kernel/cause-message.ts"
import { type BatchError, badInput, storageFault } from "../batch-error.ts"
import { type RawItem, rawItem } from "./batch-item.ts"
import { csvRows } from "./csv-reader.ts"
import { linesOf } from "./line-reader.ts"

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
    const stat = statSync(resolve(cwd, path), { throwIfNoEntry: false })
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
