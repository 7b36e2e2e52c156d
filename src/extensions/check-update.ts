/** Whether the source of an extension has something newer. Asks the net or the disk; changes nothing. */
import { Effect, Either, Option } from "effect"
import { httpOf } from "../config/http.ts"
import type { ExtensionConfig } from "./extension-config.ts"
import type { ExtensionError } from "./extension-error.ts"
import type { InstalledExtension } from "./installed.ts"
import { readManifest } from "./read-manifest.ts"
import { githubOf, type InstallMetadata, isRemote, shownSource } from "./source.ts"
import { localCommit, remoteCommit } from "./sources/git.ts"
import { findRelease } from "./sources/github-release.ts"

export interface UpdateCheck {
  readonly state: "up to date" | "update available" | "not updatable" | "error"
  /** Why it cannot be updated, or what went wrong. */
  readonly because?: string
}

export const checkUpdate = (extension: InstalledExtension, config: ExtensionConfig): Effect.Effect<UpdateCheck> =>
  lookForUpdate(extension, config).pipe(
    Effect.catchTag("ExtensionError", ({ message }) =>
      Effect.succeed<UpdateCheck>({ state: "error", because: message })
    )
  )

const lookForUpdate = Effect.fn("Extensions.checkUpdate")(function* (
  extension: InstalledExtension,
  config: ExtensionConfig
): Effect.fn.Return<UpdateCheck, ExtensionError> {
  const { folder, manifest, metadata } = extension
  if (metadata === undefined) return { state: "not updatable", because: "it is not known where it came from" }
  if (metadata.type === "link") return { state: "not updatable", because: "it is linked: its files are used in place" }
  if ((yield* sourceOf(extension, config)).source !== metadata.source) return AVAILABLE
  const context = { http: httpOf(config), variables: config.environment.variables }
  if (metadata.type === "local") {
    return isNewer((yield* readManifest(metadata.source)).version !== manifest.version)
  }
  if (metadata.type === "git") {
    const [there, here] = [yield* remoteCommit(metadata.source, metadata.ref, context), localCommit(folder)]
    // A commit that was asked for by its number is listed under no name, and never changes.
    const isPinned = there === undefined && metadata.ref !== undefined && here?.startsWith(metadata.ref) === true
    return isNewer(!isPinned && there !== here)
  }
  const repository = githubOf(metadata.source)
  if (repository === undefined)
    return { state: "not updatable", because: `${shownSource(metadata.source)} is not on GitHub` }
  const wish = { ref: metadata.ref, allowPreRelease: metadata.allowPreRelease === true }
  const release = Option.getOrUndefined(yield* findRelease(repository, wish, context))
  return isNewer(release !== undefined && release.tag_name !== metadata.releaseTag)
})

const AVAILABLE: UpdateCheck = { state: "update available" }

const isNewer = (yes: boolean): UpdateCheck => (yes ? AVAILABLE : { state: "up to date" })

/** Where updates come from: an extension that has moved says so, and is believed once the new place answers. */
export const sourceOf = Effect.fnUntraced(function* (
  { manifest: { migratedTo }, metadata }: InstalledExtension,
  config: ExtensionConfig
) {
  const known: InstallMetadata = metadata ?? { source: "", type: "local" }
  if (migratedTo === undefined || migratedTo === known.source || !isRemote(migratedTo)) return known
  const answer = yield* Effect.either(isReachable(migratedTo, config))
  return Either.getOrElse(answer, () => false) ? { ...known, source: migratedTo, type: "git" as const } : known
})

const isReachable = Effect.fnUntraced(function* (source: string, config: ExtensionConfig) {
  const { variables } = config.environment
  const repository = githubOf(source)
  if (repository !== undefined) {
    const wish = { ref: undefined, allowPreRelease: true }
    if (Option.isSome(yield* findRelease(repository, wish, { http: httpOf(config), variables }))) return true
  }
  return (yield* remoteCommit(source, undefined, { variables })) !== undefined
})
