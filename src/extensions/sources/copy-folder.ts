/**
 * Copies a folder file by file. A link that leads to something inside the folder leads to the copy of it; one that leads
 * out keeps its target where the folder is the user's own, and is refused where it came from elsewhere.
 */
import { type Dirent, lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import { Effect } from "effect"
import { isInside } from "../../files/containment.ts"
import { realPathOf } from "../../files/real-path.ts"
import { codeOf } from "../../system/atomic-write.ts"
import { copyToNewFile, setFileMode } from "../../system/file-mode.ts"
import { ExtensionError, storageFailure } from "../extension-error.ts"

/** `target` must not exist. What is copied can be written by its owner. */
export const copyFolder = (source: string, target: string): Effect.Effect<void, ExtensionError> =>
  isInside(source, target)
    ? new ExtensionError({ kind: "source", detail: `${source} holds the folder in which extensions are kept.` })
    : attempt(source, () => copyInto({ source, target }, ""))

/** Makes everything in it writable for its owner, and refuses links that lead out of it. */
export const settleFolder = (folder: string): Effect.Effect<void, ExtensionError> =>
  attempt(folder, () => settle(folder, ""))

const attempt = (path: string, work: () => void) =>
  Effect.try({
    try: work,
    catch: (cause) => (cause instanceof ExtensionError ? cause : storageFailure(pathOf(cause) ?? path, codeOf(cause)))
  })

const pathOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "path" in cause ? String(cause.path) : undefined

interface Pair {
  readonly source: string
  readonly target: string
}

const copyInto = (pair: Pair, below: string): void => {
  mkdirSync(join(pair.target, below), { mode: 0o700, recursive: false })
  for (const entry of entriesOf(join(pair.source, below))) copyEntry(pair, join(below, entry.name), entry)
  setFileMode(join(pair.target, below), modeOf(join(pair.source, below), 0o700))
}

const copyEntry = (pair: Pair, path: string, entry: Dirent): void => {
  const [from, to] = [join(pair.source, path), join(pair.target, path)]
  if (entry.isDirectory()) copyInto(pair, path)
  else if (entry.isSymbolicLink()) symlinkSync(copiedLink(pair.source, from), to)
  else if (entry.isFile()) {
    copyToNewFile(from, to)
    setFileMode(to, modeOf(from, 0o600))
  } else throw special(from)
}

const copiedLink = (source: string, link: string): string => {
  const target = resolve(dirname(link), readlinkSync(link))
  return isInside(source, target) ? relative(dirname(link), target) || "." : target
}

const settle = (root: string, below: string): void => {
  const folder = join(root, below)
  setFileMode(folder, modeOf(folder, 0o700))
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) settle(root, join(below, entry.name))
    else if (entry.isSymbolicLink()) checkLink(root, path)
    else if (entry.isFile()) setFileMode(path, modeOf(path, 0o600))
    else throw special(path)
  }
}

/** Followed to its end, because a link may lead out by way of others that do not. */
const checkLink = (root: string, link: string): void => {
  const written = readlinkSync(link)
  if (!isAbsolute(written) && isInside(realPathOf(root), realPathOf(link))) return
  throw new ExtensionError({
    kind: "invalid",
    detail: `The extension holds a link that leads out of it: ${relative(root, link)} -> ${written}.`,
    advice: "Nothing was installed."
  })
}

const entriesOf = (folder: string): ReadonlyArray<Dirent> => readdirSync(folder, { withFileTypes: true })

const modeOf = (path: string, atLeast: number): number => (statSync(path).mode & 0o777) | atLeast

const special = (path: string): ExtensionError =>
  new ExtensionError({
    kind: "invalid",
    detail: `${path} is neither a file nor a folder (${lstatSync(path).isFIFO() ? "a pipe" : "a device or a socket"}).`
  })
