/**
 * The border of the workspace: every path that a model names goes through `resolve`, and files are opened only by the
 * `ResolvedPath` that it gives. What was opened is checked again, so that a link swapped in between leads nowhere.
 */
import { closeSync, readSync, statSync } from "node:fs"
import { Context, Effect, Layer, Ref } from "effect"
import * as AtomicWrite from "./atomic-write.ts"
import { type Border, decideAccess, isInside, type PathAccess } from "./containment.ts"
import { errnoOf, FileError, fromSystem, PathError } from "./file-error.ts"
import { absolutePath, pathFault } from "./path-format.ts"
import { realPathOf } from "./real-path.ts"
import { openRegular } from "./safe-open.ts"

/** A path that may be used for this access. Made by `Workspace.resolve` only. */
export interface ResolvedPath {
  /** Absolute, as named: for messages and ignore rules. */
  readonly named: string
  /** All links followed: for opening. */
  readonly real: string
  readonly access: PathAccess
}

export interface FileSnapshot {
  readonly bytes: Uint8Array
  readonly size: number
  readonly mtimeMs: number
}

export class Workspace extends Context.Tag("agent/files/Workspace")<
  Workspace,
  {
    /** Folder of the session, as a real path; relative paths start here. */
    readonly targetDir: string
    /** Real paths of all workspace folders, the target first. */
    readonly roots: Effect.Effect<ReadonlyArray<string>>
    /** Adds a workspace folder at run time; gives its real path. */
    readonly addRoot: (directory: string) => Effect.Effect<string, FileError>
    /** Opens one file or folder outside the workspace for reading: skill folders, paths that a person named. */
    readonly allowRead: (path: string) => Effect.Effect<void, FileError>
    readonly resolve: (path: string, access: PathAccess) => Effect.Effect<ResolvedPath, PathError>
    /** A test for real paths that a search found: may they be read, as the border stands now? */
    readonly mayRead: Effect.Effect<(realPath: string) => boolean>
    /** Reads a whole regular file. `too-large` before anything is read. */
    readonly read: (
      path: ResolvedPath,
      options: { readonly maxBytes: number }
    ) => Effect.Effect<FileSnapshot, FileError>
    /** Replaces or creates a file atomically, with missing parent folders. */
    readonly write: (path: ResolvedPath, content: Uint8Array) => Effect.Effect<AtomicWrite.WriteReport, FileError>
  }
>() {}

export interface WorkspaceOptions {
  readonly targetDir: string
  /** More folders; missing ones are skipped with a warning. */
  readonly includeDirectories?: ReadonlyArray<string>
  /** `~/.gemini/tmp/<project>` */
  readonly tempDir?: string | undefined
  /** The global memory file. */
  readonly memoryFile?: string | undefined
  /** Told of every folder that is added at run time, by its real path: others have to know it too. */
  readonly onAdded?: (root: string) => Effect.Effect<void>
}

export const layer = (options: WorkspaceOptions): Layer.Layer<Workspace, FileError> =>
  Layer.effect(
    Workspace,
    Effect.gen(function* () {
      const targetDir = yield* realDirectory(options.targetDir)
      const included = yield* Effect.forEach(options.includeDirectories ?? [], (directory) =>
        realDirectory(directory).pipe(
          Effect.tapError((error) =>
            Effect.logWarning("workspace folder skipped").pipe(Effect.annotateLogs({ directory, reason: error.kind }))
          ),
          Effect.option
        )
      )
      const border = yield* Ref.make<Border>({
        roots: [...new Set([targetDir, ...included.flatMap((found) => (found._tag === "Some" ? [found.value] : []))])],
        readOnly: [],
        tempDir: realOrSame(options.tempDir),
        memoryFile: realOrSame(options.memoryFile)
      })

      const addRoot = Effect.fn("Workspace.addRoot")(function* (directory: string) {
        const real = yield* realDirectory(absolutePath(directory, targetDir))
        const isNew = yield* Ref.modify(border, (now) =>
          now.roots.includes(real) ? [false, now] : [true, { ...now, roots: [...now.roots, real] }]
        )
        if (isNew && options.onAdded !== undefined) yield* options.onAdded(real)
        return real
      })

      const allowRead = Effect.fn("Workspace.allowRead")(function* (path: string) {
        const real = yield* Effect.try({
          try: () => realPathOf(absolutePath(path, targetDir)),
          catch: (cause) => fromSystem("read", path, cause)
        })
        yield* Ref.update(border, (now) => ({ ...now, readOnly: [...now.readOnly, real] }))
      })

      const resolve = Effect.fn("Workspace.resolve")(function* (path: string, access: PathAccess) {
        const fault = pathFault(path)
        if (fault !== null) return yield* new PathError({ kind: "malformed", path, detail: fault })
        const paths = yield* Effect.try({
          try: () => {
            const named = absolutePath(path, targetDir)
            return { named, real: realPathOf(named) }
          },
          catch: (cause) => unresolvable(path, cause)
        })
        const now = yield* Ref.get(border)
        const verdict = strictest(now, paths, access)
        if (verdict === "allowed") return { ...paths, access }
        return yield* new PathError({ kind: verdict, path, detail: refusal(now, paths.real, verdict) })
      })

      return Workspace.of({
        targetDir,
        roots: Effect.map(Ref.get(border), (now) => now.roots),
        addRoot,
        allowRead,
        resolve,
        mayRead: Effect.map(Ref.get(border), (now) => (realPath) => decideAccess(now, realPath, "read") === "allowed"),
        read: (path, { maxBytes }) => readSnapshot(path.real, maxBytes),
        write: (path, content) =>
          path.access === "write"
            ? AtomicWrite.writeAtomically(path.real, content, { makeParents: true })
            : new FileError({ kind: "permission-denied", operation: "write", path: path.named, code: "" })
      })
    })
  )

/** The name counts as well as what it leads to: `.env` stays closed when it is a link to a file of another name. */
const strictest = (border: Border, paths: { named: string; real: string }, access: PathAccess) => {
  const verdict = decideAccess(border, paths.real, access)
  if (verdict !== "allowed" || paths.named === paths.real) return verdict
  return decideAccess(border, paths.named, access) === "blocked" ? "blocked" : "allowed"
}

const readSnapshot = (realPath: string, maxBytes: number) =>
  Effect.try({
    try: (): FileSnapshot => {
      const { fd, stat } = openRegular(realPath)
      try {
        const size = Number(stat.size)
        if (size > maxBytes)
          throw new FileError({ kind: "too-large", operation: "read", path: realPath, code: "", size })
        return { bytes: readFully(fd, size), size, mtimeMs: Number(stat.mtimeMs) }
      } finally {
        closeSync(fd)
      }
    },
    catch: (cause) => fromSystem("read", realPath, cause)
  })

/** At most the size that was checked: a file that grows meanwhile is cut there. */
const readFully = (fd: number, size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  let length = 0
  for (let got = -1; got !== 0 && length < size; length += got) got = readSync(fd, bytes, length, size - length, null)
  return bytes.subarray(0, length)
}

const realDirectory = (directory: string) =>
  Effect.try({
    try: () => {
      const real = realPathOf(directory)
      if (statSync(real).isDirectory()) return real
      throw new FileError({ kind: "not-a-directory", operation: "list", path: directory, code: "" })
    },
    catch: (cause) => fromSystem("list", directory, cause)
  })

const realOrSame = (path: string | undefined): string | undefined => {
  if (path === undefined) return undefined
  try {
    return realPathOf(path)
  } catch {
    return path
  }
}

const unresolvable = (path: string, cause: unknown): PathError =>
  errnoOf(cause) === "ELOOP"
    ? new PathError({ kind: "loop", path, detail: `The symbolic links of ${path} form a loop.` })
    : new PathError({ kind: "unresolvable", path, detail: `The path ${path} cannot be resolved (${errnoOf(cause)}).` })

const refusal = (border: Border, real: string, verdict: "outside" | "blocked"): string => {
  const allowed = `Workspace directories: ${border.roots.join(", ")}. Project temp directory: ${border.tempDir ?? "none"}.`
  if (verdict === "outside") return `The path ${real} is outside the workspace. ${allowed}`
  const place = border.roots.some((root) => isInside(root, real))
    ? "is protected"
    : "is protected in the temp directory"
  return `The path ${real} ${place} and cannot be used by tools. ${allowed}`
}
