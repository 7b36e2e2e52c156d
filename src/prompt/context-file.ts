/**
 * One context file: where it may lie, and how it is read: within bounds, its imports resolved, framed by lines that
 * say where it comes from.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { strayLinkReason } from "../files/brought-file.ts"
import { isInside } from "../files/containment.ts"
import { CORE_FOLDERS } from "../files/excludes.ts"
import { foldersBetween, projectOf } from "../files/project-root.ts"
import { frameName, insideFrame } from "../kernel/prompt-frames.ts"
import { peekFolder } from "./folder-peek.ts"
import type { IsIgnored } from "./ignore-check.ts"
import type { ImportFormat } from "./imports.ts"
import { readTextHead, type TextHead } from "./text-head.ts"

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

/** Where a context file comes from, and with it how it reaches the model. */
export type ContextTier = "global" | "private" | "extension" | "project"

export interface ContextFile {
  readonly path: string
  readonly tier: ContextTier
  /** The framed text, as it is sent. */
  readonly block: string
  /** Files that it imports. */
  readonly imported: ReadonlyArray<string>
}

type ContextRead =
  | { readonly kind: "none" }
  | { readonly kind: "loaded"; readonly file: ContextFile; readonly warnings: ReadonlyArray<string> }
  | { readonly kind: "refused"; readonly warnings: ReadonlyArray<string> }

/** Of one context file; the rest is left out, and the model and the person are told. */
const MAX_CONTEXT_BYTES = 512 * 1024

export interface ReadOptions {
  readonly importFormat: ImportFormat
  readonly markers: ReadonlyArray<string>
  /** `true`: this file is known already. Called with the identity of a file that was found. */
  readonly isKnown: (identity: string) => boolean
  /** Folders into which links of this file may lead, if it is none of the user's own. */
  readonly bordersOf: (path: string, tier: ContextTier) => ReadonlyArray<string> | undefined
}

/** One context file: read within bounds, its imports resolved, framed by lines that say where it comes from. */
export const readContextFile = (path: string, tier: ContextTier, options: ReadOptions): Effect.Effect<ContextRead> =>
  Effect.suspend(() => {
    const head = readTextHead(path, MAX_CONTEXT_BYTES)
    if (head.kind === "missing" || (head.kind === "refused" && head.isFolder)) return Effect.succeed(NONE)
    if (head.kind === "refused") {
      const warning = `${path} is not used as context: it ${head.reason}`
      return Effect.succeed<ContextRead>({ kind: "refused", warnings: [warning] })
    }
    const stray = tier === "project" ? strayLinkReason(path, () => options.bordersOf(path, tier) ?? []) : undefined
    if (stray !== undefined) {
      return Effect.succeed<ContextRead>({ kind: "refused", warnings: [`${path} is not used as context: it ${stray}`] })
    }
    if (head.text.trim() === "" || options.isKnown(head.identity)) return Effect.succeed(NONE)
    return Effect.map(withImports(path, tier, head, options), ({ faults, imported, text }) => ({
      kind: "loaded",
      file: { path, tier, block: contextBlock(path, text + cutNote(head)), imported },
      warnings: [...cutWarning(path, head), ...faults.map((fault) => `${path} imports ${fault}`)]
    }))
  })

const NONE: ContextRead = { kind: "none" }

type Text = Extract<TextHead, { readonly kind: "text" }>

const withImports = (
  path: string,
  tier: ContextTier,
  head: Text,
  { bordersOf, importFormat, markers }: ReadOptions
) => {
  const text = insideFrame(head.text.trim())
  // Without an `@` there is nothing to import, and the code for it is not loaded.
  if (!text.includes("@")) return Effect.succeed({ text, imported: [], faults: [] })
  return Effect.map(
    Effect.promise(() => Promise.all([import("./imports.ts"), import("./import-reader.ts")])),
    ([{ resolveImports }, { importReader }]) =>
      resolveImports({
        format: importFormat,
        file: { kind: "file", path, identity: head.identity, text },
        read: importReader(path, { markers, borders: bordersOf(path, tier) })
      })
  )
}

/** `text` is fit for a frame. */
export const contextBlock = (name: string, text: string): string =>
  `--- Context from: ${frameName(name)} ---\n${text}\n--- End of Context from: ${frameName(name)} ---`

const cutNote = ({ isCut, size }: Text): string =>
  isCut ? `\n[The rest is left out: the file has ${size} bytes, of which the first ${MAX_CONTEXT_BYTES} are used.]` : ""

const cutWarning = (path: string, { isCut, size }: Text): ReadonlyArray<string> =>
  isCut ? [`${path} has ${size} bytes: only the first ${MAX_CONTEXT_BYTES / 1024} KiB are used as context`] : []
