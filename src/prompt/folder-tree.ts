/**
 * The folder as the model first sees it: breadth first, at most 200 items, within a time limit. Folders of tools and
 * ignored folders are named but not opened, ignored files are left out, and whatever is not shown leaves a mark.
 */
import { join, sep } from "node:path"
import type { FolderPeek, PeekEntry } from "./folder-peek.ts"
import type { IsIgnored } from "./ignore-check.ts"

export const MAX_TREE_ITEMS = 200

/** Named, never opened. */
const CLOSED = new Set(["node_modules", ".git", "dist", "__pycache__"])

export interface TreeOptions {
  readonly root: string
  readonly peek: (path: string) => FolderPeek
  readonly isIgnored: IsIgnored
  /** The time for all trees is over: what is there so far is shown. */
  readonly isLate: () => boolean
}

export interface FolderTree {
  /** Begins with the root's path. */
  readonly text: string
  /** Something was cut, ignored or left closed. */
  readonly isPartial: boolean
}

interface Folder {
  readonly name: string
  readonly path: string
  isOpened: boolean
  readonly files: Array<string>
  readonly folders: Array<Folder>
  /** Entries were left out; the note says why where it is not the number of items. */
  isCut: boolean
  note: string
}

export const folderTree = (options: TreeOptions): FolderTree => {
  const root = folderOf("", options.root)
  const title = `${options.root}${options.root.endsWith(sep) ? "" : sep}`
  const fault = fill(root, options)
  if (fault !== null) return { text: `${title}\n${fault}`, isPartial: true }
  return { text: [title, ...linesOf(root)].join("\n"), isPartial: isPartial(root) }
}

const folderOf = (name: string, path: string): Folder => ({
  name,
  path,
  isOpened: false,
  files: [],
  folders: [],
  isCut: false,
  note: ""
})

const isPartial = (folder: Folder): boolean => !folder.isOpened || folder.isCut || folder.folders.some(isPartial)

/** A sentence instead of a tree when the root itself cannot be listed. */
const fill = (root: Folder, options: TreeOptions): string | null => {
  const queue = [root]
  let room = MAX_TREE_ITEMS
  for (const folder of queue) {
    if (room === 0 || (folder !== root && options.isLate())) break
    const found = options.peek(folder.path)
    if (found.kind === "entries") room -= open(folder, found.entries, { room, queue, isIgnored: options.isIgnored })
    else if (folder === root) return rootFault(found)
    else if (found.kind === "too-large")
      Object.assign(folder, { isOpened: true, isCut: true, note: " (too many entries)" })
  }
  return null
}

const rootFault = (found: Exclude<FolderPeek, { readonly kind: "entries" }>): string =>
  found.kind === "too-large"
    ? "(This folder has too many entries to list here. Search it with narrow patterns.)"
    : `(This folder cannot be read: ${found.code}.)`

interface Opening {
  /** Items that the tree may still take. */
  readonly room: number
  readonly queue: Array<Folder>
  readonly isIgnored: IsIgnored
}

/** How many items were added. */
const open = (folder: Folder, entries: ReadonlyArray<PeekEntry>, { isIgnored, queue, room }: Opening): number => {
  let count = 0
  folder.isOpened = true
  for (const entry of filesFirst(entries)) {
    if (count >= room) {
      folder.isCut = true
      break
    }
    if (add(folder, entry, isIgnored, queue)) count++
  }
  return count
}

const filesFirst = (entries: ReadonlyArray<PeekEntry>): ReadonlyArray<PeekEntry> => [
  ...entries.filter(({ isFolder }) => !isFolder),
  ...entries.filter(({ isFolder }) => isFolder)
]

/** Whether the entry became an item of the tree. */
const add = (folder: Folder, entry: PeekEntry, isIgnored: IsIgnored, queue: Array<Folder>): boolean => {
  const path = join(folder.path, entry.name)
  const isHidden = isIgnored(path, entry.isFolder)
  if (!entry.isFolder) {
    if (!isHidden) folder.files.push(entry.name)
    return !isHidden
  }
  const child = folderOf(entry.name, path)
  folder.folders.push(child)
  if (!isHidden && !CLOSED.has(entry.name)) queue.push(child)
  return true
}

const linesOf = (folder: Folder): ReadonlyArray<string> => {
  const items = [
    ...folder.files.map((name) => ({ label: printable(name), children: [] })),
    ...folder.folders.map((child) => ({
      label: `${printable(child.name)}${sep}${child.isOpened ? "" : "..."}`,
      children: linesOf(child)
    })),
    ...(folder.isCut ? [{ label: `...${folder.note}`, children: [] }] : [])
  ]
  return items.flatMap(({ children, label }, index) => {
    const isLast = index === items.length - 1
    const indent = isLast ? "    " : "│   "
    return [`${isLast ? "└───" : "├───"}${label}`, ...children.map((line) => indent + line)]
  })
}

/** A line break in a name must not look like a line of the tree. */
const printable = (name: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?")
