/**
 * Brings the files of an extension into a folder, wherever they come from, and says how they came: that is what an update
 * will ask again.
 */

import {
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync
} from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import { Effect, Option } from "effect"
import { httpOf } from "../../config/http.ts"
import { isInside } from "../../files/containment.ts"
import { realPathOf } from "../../files/real-path.ts"
import { lazy } from "../../kernel/lazy.ts"
import { codeOf } from "../../system/atomic-write.ts"
import { copyToNewFile, setFileMode } from "../../system/file-mode.ts"
import type { ExtensionConfig } from "../extension-config.ts"
import { ExtensionError, onDisk, storageFailure } from "../extension-error.ts"
import { MANIFEST_NAME } from "../manifest.ts"
import { releaseFile } from "../release-asset.ts"
import { githubOf, githubUrl, type InstallMetadata } from "../source.ts"
import { fetchCommit } from "./git.ts"
import { downloadRelease, findRelease } from "./github-release.ts"

export interface SourceWish {
  readonly source: string
  readonly ref?: string | undefined
  readonly autoUpdate?: boolean
  readonly allowPreRelease?: boolean
}

export interface Fetching {
  readonly config: ExtensionConfig
  /** Does not exist yet; its parent does. */
  readonly target: string
  /** A release that cannot be had: is the repository itself wanted in its place? */
  readonly agreesToClone: (reason: string) => Effect.Effect<boolean>
}

export const fetchRemote = Effect.fn("Extensions.fetchRemote")(function* (wish: SourceWish, fetching: Fetching) {
  const metadata = yield* Effect.zipLeft(fetchFiles(wish, fetching), settleFolder(fetching.target))
  return metadata
})

const fetchFiles = Effect.fnUntraced(function* (wish: SourceWish, fetching: Fetching) {
  const released = yield* Effect.either(fetchRelease(wish, fetching))
  if (released._tag === "Right" && Option.isSome(released.right)) return released.right.value
  if (released._tag === "Left") {
    yield* Effect.sync(() => rmSync(fetching.target, { recursive: true, force: true }))
    if (!(yield* fetching.agreesToClone(released.left.message))) return yield* released.left
  }
  const { variables } = fetching.config.environment
  yield* fetchCommit({ source: wish.source, ref: wish.ref, target: fetching.target }, { variables })
  return metadataOf(wish, { type: "git" })
})

/** `None`: the source is not on GitHub, or has no releases. */
const fetchRelease = Effect.fnUntraced(function* (wish: SourceWish, { config, target }: Fetching) {
  const repository = githubOf(wish.source)
  if (repository === undefined) return Option.none<InstallMetadata>()
  const context = { http: httpOf(config), variables: config.environment.variables }
  const wanted = { ref: wish.ref, allowPreRelease: wish.allowPreRelease === true }
  const release = Option.getOrUndefined(yield* findRelease(repository, wanted, context))
  if (release === undefined) return Option.none<InstallMetadata>()
  const file = releaseFile(release, { platform: config.environment.platform, arch: process.arch })
  if (file === undefined) {
    return yield* new ExtensionError({
      kind: "source",
      detail: `The release ${release.tag_name} of ${githubUrl(repository)} has no file for this machine.`
    })
  }
  const archive = `${target}.${file.form}`
  yield* downloadRelease(file, archive, context)
  yield* unpack(archive, target, file.url)
  return Option.some(metadataOf(wish, { type: "github-release", releaseTag: release.tag_name }))
})

const unpack = Effect.fnUntraced(function* (archive: string, target: string, url: string) {
  const { extractArchive } = yield* lazy(() => import("../../files/archive/extract-archive.ts"))
  yield* Effect.mapError(
    extractArchive(archive, target),
    ({ detail }) => new ExtensionError({ kind: "invalid", detail: `The archive ${url} is not unpacked: ${detail}.` })
  )
  yield* onDisk(target, () => {
    rmSync(archive, { force: true })
    flatten(target)
  })
})

/** Archives of GitHub have one folder at the top, named after the commit. */
const flatten = (target: string): void => {
  if (existsSync(join(target, MANIFEST_NAME))) return
  const [only, ...others] = readdirSync(target, { withFileTypes: true })
  if (only === undefined || others.length > 0 || !only.isDirectory()) return
  if (!existsSync(join(target, only.name, MANIFEST_NAME))) return
  renameSync(join(target, only.name), `${target}.flat`)
  rmSync(target, { recursive: true, force: true })
  renameSync(`${target}.flat`, target)
}

const metadataOf = (
  { allowPreRelease, autoUpdate, ref, source }: SourceWish,
  came: Pick<InstallMetadata, "type" | "releaseTag">
): InstallMetadata => ({
  source,
  ...came,
  ...(ref === undefined ? {} : { ref }),
  ...(autoUpdate === true ? { autoUpdate } : {}),
  ...(allowPreRelease === true ? { allowPreRelease } : {})
})

/** The absolute path of a folder here; refuses what only makes sense for a place on the net. */
export const localFolder = Effect.fnUntraced(function* (wish: SourceWish, cwd: string) {
  const path = resolve(cwd, wish.source.replace(/^~(?=$|\/)/, homedir()))
  if (!isFolder(path)) {
    return yield* new ExtensionError({
      kind: "source",
      detail: `There is no folder ${path}.`,
      ...(/^\w[\w.-]*\/[\w.-]+$/.test(wish.source)
        ? { advice: `For a repository on GitHub, write github:${wish.source}.` }
        : {})
    })
  }
  const misplaced = wish.ref !== undefined ? "--ref" : wish.autoUpdate === true ? "--auto-update" : undefined
  if (misplaced !== undefined) {
    return yield* new ExtensionError({
      kind: "source",
      detail: `${misplaced} has no meaning for a folder on this machine.`,
      advice: "It is for sources on the net."
    })
  }
  return path
})

export const fetchLocal = (source: string, target: string): Effect.Effect<void, ExtensionError> =>
  Effect.zipRight(
    onDisk(target, () => mkdirSync(join(target, ".."), { recursive: true })),
    copyFolder(source, target)
  )

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/**
 * Copies a folder file by file. A link that leads to something inside the folder leads to the copy of it; one that leads
 * out keeps its target where the folder is the user's own, and is refused where it came from elsewhere.
 * `target` must not exist. What is copied can be written by its owner.
 */
const copyFolder = (source: string, target: string): Effect.Effect<void, ExtensionError> =>
  isInside(source, target)
    ? new ExtensionError({ kind: "source", detail: `${source} holds the folder in which extensions are kept.` })
    : attempt(source, () => copyInto({ source, target }, ""))

/** Makes everything in it writable for its owner, and refuses links that lead out of it. */
const settleFolder = (folder: string): Effect.Effect<void, ExtensionError> => attempt(folder, () => settle(folder, ""))

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
