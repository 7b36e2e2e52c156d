/**
 * What stands at a path: nothing, a file, a link, a folder. Two states are the same when a person would call them the
 * same: kind, permissions and content. Times and owners do not count.
 */
import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs"
import { Effect, Schema } from "effect"
import { errnoOf } from "../../files/file-error.ts"

const Mode = Schema.Int.pipe(Schema.between(0, 0o7777))

const Absent = Schema.Struct({ kind: Schema.Literal("absent") })
const Folder = Schema.Struct({ kind: Schema.Literal("folder"), mode: Mode })
/** A pipe, a socket, a device: it can be removed, not made again. */
const Special = Schema.Struct({ kind: Schema.Literal("special"), mode: Mode })

/** Of a link, the content is where it leads to. */
const WithContent = Schema.Struct({
  kind: Schema.Literal("file", "link"),
  mode: Mode,
  size: Schema.Number,
  /** SHA-256 in base64url. Where the content is not read (too large, not allowed), `~` with size and time stands for it. */
  hash: Schema.String
})

export const FileState = Schema.Union(Absent, Folder, Special, WithContent)
export type FileState = typeof FileState.Type
export type ContentState = typeof WithContent.Type

export const ABSENT: FileState = { kind: "absent" }

/** Files above this are seen, but their content is not kept. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

export interface SeenFile {
  readonly state: FileState
  /** Of a file or a link whose content is known. */
  readonly content: Uint8Array | undefined
}

/** Reads the path itself, never what a link leads to. Never throws: what cannot be read has no known content. */
export const seeFile = (path: string): SeenFile => {
  try {
    return seeStat(path, lstatSync(path))
  } catch (cause) {
    const code = errnoOf(cause)
    return code === "ENOENT" || code === "ENOTDIR"
      ? { state: ABSENT, content: undefined }
      : { state: { kind: "special", mode: 0 }, content: undefined }
  }
}

export const seeStat = (path: string, stat: Stats): SeenFile => {
  const mode = stat.mode & 0o7777
  if (stat.isDirectory()) return { state: { kind: "folder", mode }, content: undefined }
  const kind = stat.isFile() ? "file" : stat.isSymbolicLink() ? "link" : undefined
  if (kind === undefined) return { state: { kind: "special", mode }, content: undefined }
  const content = contentOf(path, kind, stat.size)
  return content === undefined
    ? { state: { kind, mode, size: stat.size, hash: `~${stat.size}.${stat.mtimeMs}` }, content }
    : { state: { kind, mode, size: content.length, hash: hashOf(content) }, content }
}

const contentOf = (path: string, kind: "file" | "link", size: number): Uint8Array | undefined => {
  try {
    if (kind === "link") return Buffer.from(readlinkSync(path))
    return size > MAX_FILE_BYTES ? undefined : readFileSync(path)
  } catch {
    return undefined
  }
}

export const hashOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("base64url")

/** Permissions of a link mean nothing. */
export const isSameState = (one: FileState, other: FileState): boolean => {
  switch (one.kind) {
    case "absent":
      return other.kind === "absent"
    case "folder":
    case "special":
      return other.kind === one.kind && other.mode === one.mode
    case "file":
    case "link":
      return other.kind === one.kind && other.hash === one.hash && (one.kind === "link" || other.mode === one.mode)
  }
}

/** Whether undoing can bring this state back. */
export const isRestorable = (state: FileState): boolean =>
  state.kind === "file" || state.kind === "link" ? !state.hash.startsWith("~") : state.kind !== "special"

/** Why the effects of a call are not recorded. */
export class NotCovered extends Schema.TaggedError<NotCovered>()("NotCovered", { why: Schema.String }) {
  static readonly fromSystem = (cause: unknown) => {
    const reason = cause instanceof Error && !("code" in cause) ? cause.message : errnoOf(cause)
    return new NotCovered({ why: `its journal cannot be written (${reason})` })
  }

  override get message() {
    return this.why
  }
}

/** Does something with the journal or the cache. */
export const written = <A>(write: () => A) => Effect.try({ try: write, catch: NotCovered.fromSystem })
