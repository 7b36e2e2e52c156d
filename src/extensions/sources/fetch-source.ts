/**
 * Brings the files of an extension into a folder, wherever they come from, and says how they came: that is what an update
 * will ask again.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Option } from "effect"
import { httpOf } from "../../config/http.ts"
import { lazy } from "../../kernel/lazy.ts"
import type { ExtensionConfig } from "../extension-config.ts"
import { ExtensionError, onDisk } from "../extension-error.ts"
import { MANIFEST_NAME } from "../manifest.ts"
import { releaseFile } from "../release-asset.ts"
import { githubOf, githubUrl, type InstallMetadata } from "../source.ts"
import { copyFolder, settleFolder } from "./copy-folder.ts"
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
