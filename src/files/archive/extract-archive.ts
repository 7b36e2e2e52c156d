/**
 * Unpacks a `.tar.gz`, `.tgz`, `.tar` or zip file (`.skill` is one) that came from somewhere else into a new folder. All
 * entries are checked before the first is written: an archive that leads out of the folder, brings links, names a file
 * twice or is larger than its limits leaves nothing behind.
 */

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { errnoOf } from "../file-error.ts"
import { type ArchiveEntry, ArchiveFault, type ArchiveLimits, nameFault, tooLarge } from "./archive-entry.ts"
import { gunzip } from "./inflate.ts"
import { tarEntries } from "./tar-entries.ts"
import { zipEntries } from "./zip-entries.ts"

/** Why an archive was not unpacked. Nothing of it is left behind. */
export class ArchiveError extends Schema.TaggedError<ArchiveError>()("ArchiveError", {
  /** `unsafe`: it would write outside its folder, or bring links or devices. `too-large`: it goes beyond a limit. */
  kind: Schema.Literal("unreadable", "unsafe", "too-large", "not-written"),
  file: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.file} was not unpacked: ${this.detail}`
  }
}

export const DEFAULT_LIMITS: ArchiveLimits = { maxEntries: 20_000, maxBytes: 256 * 1024 * 1024 }

/** `target` must not exist; it does afterwards, or nothing does. Gives the names of the files. */
export const extractArchive = (
  file: string,
  target: string,
  limits: ArchiveLimits = DEFAULT_LIMITS
): Effect.Effect<ReadonlyArray<string>, ArchiveError> =>
  Effect.gen(function* () {
    const entries = yield* Effect.try({
      try: () => checked(read(file, limits), limits),
      catch: (cause) => failure(file, cause, "unreadable")
    })
    yield* Effect.try({
      try: () => write(target, entries),
      catch: (cause) => failure(file, cause, "not-written")
    })
    return entries.flatMap(({ content, name }) => (content === undefined ? [] : [name]))
  })

const read = (file: string, limits: ArchiveLimits): Iterable<ArchiveEntry> => {
  const stat = statSync(file)
  // A pipe that nobody writes to would be waited for without end.
  if (!stat.isFile())
    throw new ArchiveFault("unreadable", `it is ${stat.isDirectory() ? "a folder" : "no regular file"}`)
  if (stat.size > limits.maxBytes) throw tooLarge(limits.maxBytes)
  const bytes = readFileSync(file)
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return zipEntries(bytes, limits.maxBytes)
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  return tarEntries(isPacked ? gunzip(bytes, limits.maxBytes) : bytes)
}

const checked = (entries: Iterable<ArchiveEntry>, { maxBytes, maxEntries }: ArchiveLimits) => {
  const kept: Array<ArchiveEntry> = []
  const files = new Set<string>()
  let total = 0
  let count = 0
  for (const entry of entries) {
    if (++count > maxEntries) throw new ArchiveFault("too-large", `it holds more than ${maxEntries} entries`)
    const fault = nameFault(entry.name)
    if (fault !== undefined) throw new ArchiveFault("unsafe", fault)
    total += entry.content?.length ?? 0
    if (total > maxBytes) throw tooLarge(maxBytes)
    const name = plain(entry.name)
    if (name === "") continue
    if (entry.content !== undefined) {
      if (files.has(name)) throw new ArchiveFault("unsafe", `it holds ${JSON.stringify(name)} twice`)
      files.add(name)
    }
    kept.push({ ...entry, name })
  }
  if (files.size === 0) throw new ArchiveFault("unreadable", "it holds no files")
  return kept
}

/** Without `.` and doubled slashes. */
const plain = (name: string): string =>
  name
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")

const write = (target: string, entries: ReadonlyArray<ArchiveEntry>): void => {
  mkdirSync(dirname(target), { recursive: true })
  // Fails where something is: nothing of others is written over, and no link is followed.
  mkdirSync(target)
  try {
    for (const { content, isExecutable, name } of entries) {
      const path = join(target, name)
      mkdirSync(content === undefined ? path : dirname(path), { recursive: true })
      if (content !== undefined) writeFileSync(path, content, { flag: "wx", mode: isExecutable ? 0o755 : 0o644 })
    }
  } catch (cause) {
    rmSync(target, { recursive: true, force: true })
    throw cause
  }
}

const failure = (file: string, cause: unknown, kind: "unreadable" | "not-written"): ArchiveError =>
  cause instanceof ArchiveFault
    ? new ArchiveError({ kind: cause.kind, file, detail: cause.message })
    : new ArchiveError({ kind, file, detail: reasonOf(errnoOf(cause)) })

const reasonOf = (code: string): string => (code === "ENOENT" ? "there is no such file" : `the system reported ${code}`)
