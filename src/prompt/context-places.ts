/** Where context files are looked for. Names of files only; nothing is read here. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isInside } from "../files/containment.ts"
import { CORE_FOLDERS } from "../files/excludes.ts"
import { foldersBetween, projectOf } from "../files/project-root.ts"
import type { ContextTier } from "./context-file.ts"
import { peekFolder } from "./folder-peek.ts"
import type { IsIgnored } from "./ignore-check.ts"

export interface ContextPlace {
  readonly path: string
  readonly tier: ContextTier
}

export interface PlaceOptions {
  /** Every name is looked for in every place. */
  readonly fileNames: ReadonlyArray<string>
  /** `~/.gemini` */
  readonly userDir: string
  /** `~/.gemini/tmp/<project>` */
  readonly tempDir: string
  /** Real paths of the workspace folders, the working folder first; empty in an untrusted folder. */
  readonly roots: ReadonlyArray<string>
  /** Names that end the search upwards; none means that parents are not searched. */
  readonly markers: ReadonlyArray<string>
  /** Absolute paths of the context files of active extensions. */
  readonly extensionFiles: ReadonlyArray<string>
}

/** In the order in which they are sent: what comes later is more specific. */
export const contextPlaces = (options: PlaceOptions): ReadonlyArray<ContextPlace> => [
  ...filesIn(options.userDir, options.fileNames, "global"),
  ...privatePlaces(options),
  ...[...options.extensionFiles].sort().map((path) => ({ path, tier: "extension" as const })),
  ...options.roots.flatMap((root) =>
    foldersBetween(projectOf(root, options.markers) ?? root, root).flatMap((folder) => projectFiles(folder, options))
  )
]

/** In the folder that a tool touched and those between it and its root, outermost first. */
export const placesBelow = (folder: string, options: PlaceOptions): ReadonlyArray<ContextPlace> => {
  const root = options.roots.filter((candidate) => isInside(candidate, folder)).sort((a, b) => b.length - a.length)[0]
  if (root === undefined || isForeign(folder.slice(root.length))) return []
  return foldersBetween(root, folder).flatMap((between) => projectFiles(between, options))
}

/** Installed packages bring files of other people: their instructions are not the project's. */
const isForeign = (relativePath: string): boolean =>
  relativePath.split(/[/\\]/).some((name) => CORE_FOLDERS.some((closed) => closed === name))

/** All folders below the roots, breadth first, at most that many. */
export const placesDeep = (
  options: PlaceOptions,
  limits: { readonly maxFolders: number; readonly isIgnored: IsIgnored }
): ReadonlyArray<ContextPlace> => {
  const queue = [...options.roots]
  for (let index = 0; index < Math.min(queue.length, limits.maxFolders); index++) {
    const folder = queue[index] ?? ""
    const peek = peekFolder(folder)
    if (peek.kind !== "entries") continue
    for (const { isFolder, name } of peek.entries) {
      const path = join(folder, name)
      if (isFolder && !isForeign(name) && !limits.isIgnored(path, true)) queue.push(path)
    }
  }
  return queue.slice(0, limits.maxFolders).flatMap((folder) => projectFiles(folder, options))
}

const projectFiles = (folder: string, { fileNames, userDir }: PlaceOptions): ReadonlyArray<ContextPlace> =>
  folder === userDir ? [] : filesIn(folder, fileNames, "project")

const privatePlaces = ({ fileNames, tempDir }: PlaceOptions): ReadonlyArray<ContextPlace> => {
  const memory = privateMemoryFile(tempDir)
  return existsSync(memory)
    ? [{ path: memory, tier: "private" }]
    : filesIn(join(tempDir, "memory"), fileNames, "private")
}

export const privateMemoryFile = (tempDir: string): string => join(tempDir, "memory", "MEMORY.md")

/** A name that leads out of the folder is none. */
const filesIn = (folder: string, names: ReadonlyArray<string>, tier: ContextTier): ReadonlyArray<ContextPlace> =>
  names.flatMap((name) => {
    const path = join(folder, name)
    return path !== folder && isInside(folder, path) ? [{ path, tier }] : []
  })
