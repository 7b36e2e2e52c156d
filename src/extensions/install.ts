/**
 * Installing is a transaction in two steps. `prepareInstall` builds the new copy aside and says what a person has to agree
 * to; `commitInstall` makes it real by one rename. Between the two nothing of it can be seen, and whatever ends the program
 * there leaves nothing behind (`leftovers.ts`).
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { consentText, contentsOf } from "./consent.ts"
import { changeRules, enablementFile } from "./enablement-file.ts"
import { type ExtensionConfig, integrityPlace, sourceRules } from "./extension-config.ts"
import { ExtensionError, onDisk } from "./extension-error.ts"
import { type InstalledExtension, readInstalled } from "./installed.ts"
import { seal, unseal } from "./integrity-store.ts"
import { closeWorkshop, openWorkshop, recoverLeftovers, type Workshop } from "./leftovers.ts"
import type { Manifest } from "./manifest.ts"
import { readManifest } from "./read-manifest.ts"
import { isSame } from "./selection.ts"
import { blockedBecause, extensionId, type InstallMetadata, isRemote, METADATA_NAME, shownSource } from "./source.ts"
import { type Fetching, fetchLocal, fetchRemote, localFolder, type SourceWish } from "./sources/fetch-source.ts"
import { enableForUser } from "./switch-extension.ts"

export interface InstallWish extends SourceWish {
  /** The files stay where they are. */
  readonly isLink: boolean
  readonly agreesToClone: Fetching["agreesToClone"]
}

/** Built and waiting: `commitInstall` or `discard` must follow. */
export interface PreparedInstall {
  readonly workshop: Workshop
  readonly manifest: Manifest
  readonly metadata: InstallMetadata
  /** Where the files can be looked at now. */
  readonly path: string
  readonly consent: string
}

export const prepareInstall = (
  wish: InstallWish,
  config: ExtensionConfig
): Effect.Effect<PreparedInstall, ExtensionError> =>
  inWorkshop(config, (workshop) =>
    Effect.gen(function* () {
      const prepared = yield* fetchWanted(wish, workshop, config)
      yield* refuseTwin(prepared.manifest.name, config)
      return prepared
    })
  )

/** Closed again unless `build` succeeds. */
export const inWorkshop = <A>(
  { storage: { extensionsDir } }: ExtensionConfig,
  build: (workshop: Workshop) => Effect.Effect<A, ExtensionError>
): Effect.Effect<A, ExtensionError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const workshop = yield* onDisk(extensionsDir, () => {
        recoverLeftovers(extensionsDir)
        return openWorkshop(extensionsDir)
      })
      return yield* Effect.onError(restore(build(workshop)), () =>
        Effect.sync(() => closeWorkshop(workshop, extensionsDir))
      )
    })
  )

export const discard = ({ workshop }: Pick<PreparedInstall, "workshop">, { storage }: ExtensionConfig) =>
  Effect.sync(() => closeWorkshop(workshop, storage.extensionsDir))

const fetchWanted = Effect.fnUntraced(function* (wish: InstallWish, workshop: Workshop, config: ExtensionConfig) {
  if (isRemote(wish.source)) {
    yield* refuseBlocked({ source: wish.source, type: "git" }, config)
    const metadata = yield* fetchRemote(wish, { config, target: workshop.fresh, agreesToClone: wish.agreesToClone })
    return yield* prepared(workshop, metadata, workshop.fresh)
  }
  const source = yield* localFolder(wish, config.environment.cwd)
  const metadata: InstallMetadata = { source, type: wish.isLink ? "link" : "local" }
  yield* refuseBlocked(metadata, config)
  // Read before it is copied: what is wrong is told with the place where it can be put right.
  yield* readManifest(source)
  if (!wish.isLink) yield* fetchLocal(source, workshop.fresh)
  return yield* prepared(workshop, metadata, wish.isLink ? source : workshop.fresh)
})

/** The files are there: what they say, and what a person should know. */
export const prepared = Effect.fnUntraced(function* (workshop: Workshop, metadata: InstallMetadata, path: string) {
  const source = shownSource(metadata.source)
  const manifest = yield* Effect.mapError(
    readManifest(path),
    (error) => new ExtensionError({ ...error, detail: error.detail.replaceAll(workshop.fresh, source) })
  )
  const consent = consentText(manifest, contentsOf(path, manifest)).replaceAll(workshop.fresh, source)
  return { workshop, manifest, metadata, path, consent } satisfies PreparedInstall
})

const refuseBlocked = (metadata: InstallMetadata, config: ExtensionConfig) => {
  const because = blockedBecause(metadata, sourceRules(config))
  return because === undefined
    ? Effect.void
    : new ExtensionError({
        kind: "forbidden",
        detail: `${shownSource(metadata.source)} may not be installed: ${because}.`
      })
}

const refuseTwin = Effect.fnUntraced(function* (name: string, { storage: { extensionsDir } }: ExtensionConfig) {
  const { extensions } = yield* readInstalled(extensionsDir)
  const target = join(extensionsDir, name)
  if (extensions.some((other) => isSame(other.name, name))) {
    return yield* new ExtensionError({
      kind: "exists",
      detail: `Extension "${name}" is already installed.`,
      advice: `Uninstall it first, or update it: gemini extensions update ${name}.`
    })
  }
  if (existsSync(target)) {
    return yield* new ExtensionError({
      kind: "exists",
      detail: `${target} is there already and holds no extension of that name.`,
      advice: "Move it away first."
    })
  }
})

/** The extension is there afterwards, sealed and on for the user, or nothing has changed. */
export const commitInstall = (prepared: PreparedInstall, config: ExtensionConfig) =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const { manifest, metadata, workshop } = prepared
      const { extensionsDir } = config.storage
      const folder = join(extensionsDir, manifest.name)
      yield* onDisk(folder, () => {
        writeMetadata(workshop, metadata)
        renameSync(workshop.fresh, folder)
      })
      yield* seal(integrityPlace(config), manifest.name, metadata).pipe(
        Effect.zipRight(enableForUser(manifest.name, config)),
        Effect.onError(() => takeBack(manifest.name, folder, config))
      )
      return installedAs(folder, prepared)
    })
  ).pipe(Effect.ensuring(discard(prepared, config)))

const takeBack = (name: string, folder: string, config: ExtensionConfig) =>
  Effect.sync(() => rmSync(folder, { recursive: true, force: true })).pipe(
    Effect.zipRight(Effect.ignore(unseal(integrityPlace(config), name))),
    Effect.zipRight(Effect.ignore(changeRules(enablementFile(config.storage.extensionsDir), name, () => undefined)))
  )

/** A linked extension has nothing of its own here but this file. */
export const writeMetadata = ({ fresh }: Workshop, metadata: InstallMetadata): void => {
  mkdirSync(fresh, { recursive: true })
  writeFileSync(join(fresh, METADATA_NAME), `${JSON.stringify(metadata, null, 2)}\n`)
}

export const installedAs = (folder: string, { manifest, metadata }: PreparedInstall): InstalledExtension => ({
  name: manifest.name,
  id: extensionId(manifest.name, metadata),
  folder,
  path: metadata.type === "link" ? metadata.source : folder,
  manifest,
  metadata
})
