/**
 * Updating is installing beside what is there. The old copy is kept aside until the new one is in its place and sealed, and
 * comes back if anything fails. Values of settings that the new version still has are carried over.
 */
import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { copyToNewFile } from "../system/file-mode.ts"
import { sourceOf } from "./check-update.ts"
import { consentText } from "./consent.ts"
import { contentsOf } from "./contents.ts"
import { changeRules, enablementFile, readEnablement } from "./enablement-file.ts"
import { type ExtensionConfig, integrityPlace, settingPlace, usesStoredSettings } from "./extension-config.ts"
import { ExtensionError, onDisk } from "./extension-error.ts"
import { discard, installedAs, inWorkshop, type Prepared, prepared, writeMetadata } from "./install.ts"
import type { InstalledExtension } from "./installed.ts"
import { checkSeal, seal, unseal } from "./integrity-store.ts"
import { claimWorkshop, type Workshop } from "./leftovers.ts"
import { readValues, storeValue } from "./setting-values.ts"
import { isRemote, shownSource } from "./source.ts"
import { type Fetching, fetchLocal, fetchRemote } from "./sources/fetch-source.ts"

export interface PreparedUpdate extends Prepared {
  readonly before: InstalledExtension
  /** The new version does or says other things than the one that was agreed to. */
  readonly needsConsent: boolean
}

export const prepareUpdate = (
  before: InstalledExtension,
  config: ExtensionConfig,
  agreesToClone: Fetching["agreesToClone"]
): Effect.Effect<PreparedUpdate, ExtensionError> =>
  Effect.zipRight(
    refuseBroken(before, config),
    inWorkshop(config, (workshop) =>
      Effect.gen(function* () {
        const made = yield* fetchNext(before, workshop, config, agreesToClone)
        yield* refuseTakenName(before, made, config)
        const agreed = consentText(before.manifest, contentsOf(before.path, before.manifest))
        // Folders differ between the two copies and are not what anybody agreed to.
        const needsConsent =
          made.consent.replaceAll(shownSource(made.metadata.source), "") !== agreed.replaceAll(before.path, "")
        return { ...made, before, needsConsent }
      })
    )
  )

const refuseBroken = Effect.fnUntraced(function* ({ metadata, name }: InstalledExtension, config: ExtensionConfig) {
  if (metadata === undefined || metadata.type === "link") {
    return yield* new ExtensionError({ kind: "source", detail: `Extension "${name}" cannot be updated.` })
  }
  if ((yield* checkSeal(integrityPlace(config), name, metadata)) !== "broken") return
  return yield* new ExtensionError({
    kind: "forbidden",
    detail: `Extension "${name}" is not updated: what is written about its source was changed by somebody else.`,
    advice: `Look where it comes from, then uninstall and install it again: gemini extensions uninstall ${name}.`
  })
})

const fetchNext = Effect.fnUntraced(function* (
  before: InstalledExtension,
  workshop: Workshop,
  config: ExtensionConfig,
  agreesToClone: Fetching["agreesToClone"]
) {
  const known = yield* sourceOf(before, config)
  if (isRemote(known.source)) {
    const metadata = yield* fetchRemote(known, { config, target: workshop.fresh, agreesToClone })
    return yield* prepared(workshop, metadata, workshop.fresh)
  }
  yield* fetchLocal(known.source, workshop.fresh)
  return yield* prepared(workshop, known, workshop.fresh)
})

const refuseTakenName = ({ name }: InstalledExtension, { manifest }: Prepared, { storage }: ExtensionConfig) =>
  manifest.name !== name && existsSync(join(storage.extensionsDir, manifest.name))
    ? new ExtensionError({
        kind: "exists",
        detail: `The new version of "${name}" is named "${manifest.name}", and there is an extension of that name.`
      })
    : Effect.void

/** The new version is there afterwards, or the old one as it was. */
export const commitUpdate = (update: PreparedUpdate, config: ExtensionConfig) =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const { before, manifest, metadata, workshop } = update
      const folder = join(config.storage.extensionsDir, manifest.name)
      const after = installedAs(folder, update)
      yield* onDisk(before.folder, () => {
        writeMetadata(workshop, metadata)
        keepVariables(before.folder, workshop.fresh)
        claimWorkshop(workshop, before.name)
        renameSync(before.folder, workshop.old)
      })
      yield* onDisk(folder, () => renameSync(workshop.fresh, folder)).pipe(
        Effect.zipRight(seal(integrityPlace(config), manifest.name, metadata)),
        Effect.onError(() => putBack(update, folder, config))
      )
      yield* carryOver(before, after, config)
      return after
    })
  ).pipe(Effect.ensuring(discard(update, config)))

/** Copied, not moved: the old copy may have to come back whole. */
const keepVariables = (from: string, to: string): void => {
  rmSync(join(to, ".env"), { force: true })
  if (existsSync(join(from, ".env"))) copyToNewFile(join(from, ".env"), join(to, ".env"))
}

const putBack = ({ before, workshop }: PreparedUpdate, folder: string, config: ExtensionConfig) =>
  Effect.sync(() => {
    if (!existsSync(workshop.old)) return
    rmSync(folder, { recursive: true, force: true })
    renameSync(workshop.old, before.folder)
  }).pipe(
    Effect.zipRight(
      before.metadata === undefined
        ? Effect.void
        : Effect.ignore(seal(integrityPlace(config), before.name, before.metadata))
    )
  )

/** Under another name or from another place, rules and secrets are kept under other names too. */
const carryOver = Effect.fnUntraced(function* (
  before: InstalledExtension,
  after: InstalledExtension,
  config: ExtensionConfig
) {
  const declared = after.manifest.settings ?? []
  const gone = (before.manifest.settings ?? []).filter(
    (old) => !declared.some(({ envVar, sensitive }) => envVar === old.envVar && sensitive === old.sensitive)
  )
  const [oldPlace, newPlace] = [settingPlace(config, { ...before, folder: after.folder }), settingPlace(config, after)]
  const hasMoved = before.name !== after.name || before.id !== after.id
  if (hasMoved && usesStoredSettings(config)) {
    const secrets = declared.filter(({ sensitive }) => sensitive === true)
    const values = yield* readValues(secrets, oldPlace)
    for (const setting of secrets) {
      const kept = values.get(setting.envVar)
      if (kept !== undefined) yield* storeValue(setting, kept.value, kept.scope, newPlace)
      yield* storeValue(setting, undefined, kept?.scope ?? "user", oldPlace)
    }
  }
  for (const setting of gone) yield* storeValue(setting, undefined, "user", oldPlace)
  if (before.name === after.name) return
  const file = enablementFile(config.storage.extensionsDir)
  const rules = readEnablement(file)
  if (rules._tag === "Right") yield* changeRules(file, after.name, () => rules.right.get(before.name) ?? [])
  yield* changeRules(file, before.name, () => undefined)
  yield* unseal(integrityPlace(config), before.name)
})
