/**
 * The files of the workspace as they were last seen, with the marks by which the system tells that a file was touched.
 * Kept between runs, so that only what changed is read again: an append-only file of records, a later one of the same
 * path wins. It is a cache: whatever is wrong with it, it is thrown away and made anew.
 */
import { appendFileSync, readFileSync, renameSync, type Stats, writeFileSync } from "node:fs"
import { isAbsolute } from "node:path"
import type { ContentPlace } from "./content-log.ts"
import type { FileState } from "./file-state.ts"

export interface TreeEntry {
  readonly state: Exclude<FileState, { readonly kind: "absent" }>
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly inode: number
  /** In the content log of the cache; files and links whose content is kept. */
  readonly place: ContentPlace | undefined
  /** Changed so shortly before it was read that a later change might show the same times. */
  readonly isFresh: boolean
  /** The look through the workspace that met it last. Written by that look only, a hundred thousand times in one. */
  met?: symbol
}

export type TreeTable = Map<string, TreeEntry>

/** Times of a file system may be this coarse. */
const COARSE_MS = 20

export const entryOf = (
  state: TreeEntry["state"],
  stat: Pick<Stats, "mtimeMs" | "ctimeMs" | "ino">,
  place: ContentPlace | undefined,
  now: number
): TreeEntry => ({
  state,
  mtimeMs: stat.mtimeMs,
  ctimeMs: stat.ctimeMs,
  inode: stat.ino,
  place,
  isFresh: Math.max(stat.ctimeMs, stat.mtimeMs) > now - COARSE_MS
})

/** The system says that nothing happened to the file since it was read. Times of a folder tell of its entries only. */
export const isUntouched = ({ ctimeMs, inode, isFresh, mtimeMs, state }: TreeEntry, stat: Stats): boolean => {
  if (state.kind === "folder") return stat.isDirectory() && (stat.mode & 0o7777) === state.mode
  return !isFresh && ctimeMs === stat.ctimeMs && mtimeMs === stat.mtimeMs && inode === stat.ino
}

/** No path contains it. */
const SEPARATOR = "\0"
/** Begins every record, so that a damaged file is noticed. */
const MARK = "\n"
const FIELDS = 12

export const encodeEntry = (path: string, entry: TreeEntry | undefined): string => {
  const { state } = entry ?? { state: undefined }
  const content = state !== undefined && "hash" in state ? state : undefined
  return [
    `${MARK}${state?.kind ?? "absent"}`,
    path,
    state?.mode ?? 0,
    content?.size ?? 0,
    content?.hash ?? "",
    entry?.mtimeMs ?? 0,
    entry?.ctimeMs ?? 0,
    entry?.inode ?? 0,
    entry?.place?.block ?? -1,
    entry?.place?.offset ?? 0,
    entry?.place?.size ?? 0,
    entry?.isFresh === true ? 1 : 0,
    ""
  ].join(SEPARATOR)
}

export const appendRecords = (file: string, records: ReadonlyArray<string>): void => {
  if (records.length > 0) appendFileSync(file, records.join(""), { mode: 0o600 })
}

/** All records anew, one for each path. A kill leaves the old file or the new one. */
export const rewriteTable = (file: string, table: TreeTable): void => {
  const records = [...table].map(([path, entry]) => encodeEntry(path, entry))
  writeFileSync(`${file}.new`, records.join(""), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export interface ReadTable {
  readonly table: TreeTable
  /** Many records are outdated, or the writer was killed in the last one. */
  readonly needsRewriting: boolean
}

/** Outdated records that are not worth rewriting the file. */
const SPARE_RECORDS = 10_000

/** `undefined`: the file is damaged. */
export const readTable = (file: string): ReadTable | undefined => {
  const fields = readFileSync(file, "utf8").split(SEPARATOR)
  const table: TreeTable = new Map()
  let at = 0
  for (; at + FIELDS < fields.length; at += FIELDS) {
    const record = fields.slice(at, at + FIELDS)
    const path = record[1] ?? ""
    const entry = decodeEntry(record)
    if (entry === undefined) return undefined
    if (entry === "absent") table.delete(path)
    else table.set(path, entry)
  }
  const isTorn = at !== fields.length - 1 || fields[at] !== ""
  return { table, needsRewriting: isTorn || at / FIELDS > 2 * table.size + SPARE_RECORDS }
}

const decodeEntry = (record: ReadonlyArray<string>): TreeEntry | "absent" | undefined => {
  const [kind = "", path = "", mode, size, hash = "", mtime, ctime, inode, block, offset, length, fresh] = record
  if (!kind.startsWith(MARK) || !isAbsolute(path)) return undefined
  const state = decodeState(kind.slice(1), Number(mode), Number(size), hash)
  if (state === undefined || state.kind === "absent") return state?.kind
  const place = { block: Number(block), offset: Number(offset), size: Number(length) }
  const entry = { state, mtimeMs: Number(mtime), ctimeMs: Number(ctime), inode: Number(inode), isFresh: fresh === "1" }
  const numbers = [entry.mtimeMs, entry.ctimeMs, entry.inode, place.block, place.offset, place.size]
  return numbers.every(Number.isFinite) ? { ...entry, place: place.block < 0 ? undefined : place } : undefined
}

const decodeState = (kind: string, mode: number, size: number, hash: string): FileState | undefined => {
  if (!(mode >= 0 && mode <= 0o7777 && size >= 0)) return undefined
  switch (kind) {
    case "absent":
      return { kind }
    case "folder":
    case "special":
      return { kind, mode }
    case "file":
    case "link":
      return { kind, mode, size, hash }
    default:
      return undefined
  }
}
