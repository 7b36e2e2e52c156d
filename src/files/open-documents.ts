/**
 * Files as an editor has them: what is not saved yet is read there, and what is written appears there. Only plain UTF-8
 * text of the workspace goes this way; everything else, and what the editor cannot give, is the disk's.
 */
import { Effect } from "effect"
import { isInside } from "./containment.ts"
import type { FileError } from "./file-error.ts"
import { decodeText } from "./text-encoding.ts"
import type { FileSnapshot, Workspace } from "./workspace.ts"

export interface OpenDocuments {
  /** `not-found`: there is no such file. Absent: the editor reads none. */
  readonly read: ((path: string) => Effect.Effect<string, FileError>) | undefined
  readonly write: ((path: string, content: string) => Effect.Effect<void, FileError>) | undefined
  /** Real path of a folder whose files are none of the editor's, also where it lies in the workspace. */
  readonly closed?: string | undefined
}

export const withDocuments = (
  workspace: Workspace["Type"],
  { closed, read, write }: OpenDocuments
): Workspace["Type"] => {
  const isShared = (real: string): boolean =>
    isInside(workspace.targetDir, real) && (closed === undefined || !isInside(closed, real))
  return {
    ...workspace,
    read: (path, options) =>
      read === undefined || !isShared(path.real)
        ? workspace.read(path, options)
        : Effect.gen(function* () {
            const onDisk = yield* Effect.either(workspace.read(path, options))
            if (onDisk._tag === "Left" && onDisk.left.kind !== "not-found") return yield* onDisk
            if (onDisk._tag === "Right" && !isPlainText(onDisk.right)) return onDisk.right
            const open = yield* Effect.either(read(path.real))
            return open._tag === "Left" ? yield* onDisk : snapshotOf(open.right, onDisk)
          }),
    write: (path, content) =>
      write === undefined || path.access !== "write" || !isShared(path.real) || !isPlain(content)
        ? workspace.write(path, content)
        : Effect.gen(function* () {
            const before = yield* Effect.either(workspace.read(path, { maxBytes: Number.MAX_SAFE_INTEGER }))
            yield* write(path.real, decodeText(content).text)
            return { isNewFile: before._tag === "Left", brokeHardLink: false, changedOwner: false, mtimeMs: 0 }
          })
  }
}

const isPlainText = ({ bytes }: FileSnapshot): boolean => isPlain(bytes)

/** Text that comes back as the same bytes when it is written as UTF-8. */
const isPlain = (bytes: Uint8Array): boolean => {
  if (bytes.includes(0)) return false
  const { format, isLossless } = decodeText(bytes)
  return isLossless && format.encoding === "utf-8" && !format.hasBom
}

type OnDisk = Effect.Effect.Success<ReturnType<typeof Effect.either<FileSnapshot, FileError, never>>>

const snapshotOf = (text: string, onDisk: OnDisk): FileSnapshot => {
  const bytes = new TextEncoder().encode(text)
  return { bytes, size: bytes.length, mtimeMs: onDisk._tag === "Right" ? onDisk.right.mtimeMs : 0 }
}
