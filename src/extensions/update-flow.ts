/**
 * Updating an extension with a person, or without one: then a version that does other things than the old one has to
 * wait.
 */

import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { copyToNewFile } from "../system/file-mode.ts"
import { logEvent } from "../telemetry/telemetry.ts"
import { checkUpdate, sourceOf } from "./check-update.ts"
import { consentText, contentsOf } from "./consent.ts"
import { changeRules, enablementFile, readEnablement } from "./enablement-file.ts"
import { type ExtensionConfig, integrityPlace, settingPlace, usesStoredSettings } from "./extension-config.ts"
import { ExtensionError, onDisk } from "./extension-error.ts"
import { discard, installedAs, inWorkshop, type PreparedInstall, prepared, writeMetadata } from "./install.ts"
import { requireConsent } from "./install-flow.ts"
import type { InstalledExtension } from "./installed.ts"
import { checkSeal, seal, unseal } from "./integrity-store.ts"
import { claimWorkshop, type Workshop } from "./leftovers.ts"
import { askSettings, type Dialogue } from "./setting-questions.ts"
import { readValues, storeValue } from "./setting-values.ts"
import { isRemote, shownSource } from "./source.ts"
import { type Fetching, fetchLocal, fetchRemote } from "./sources/fetch-source.ts"

/** States are told in the words that other versions of the program use. */
export type UpdateState = "up to date" | "updated" | "updated, needs restart" | "not updatable" | "error"

export interface Updated {
  readonly name: string
  readonly state: UpdateState
  readonly from: string
  /** The version that is there now. */
  readonly to: string
  readonly because?: string
  /** It failed only because nobody agreed to what is new in it. */
  readonly isDeclined?: true
}

export const update = Effect.fn("Extensions.update")(function* (
  extension: InstalledExtension,
  config: ExtensionConfig,
  dialogue: Dialogue
): Effect.fn.Return<Updated> {
  const from = extension.manifest.version
  const unchanged = (state: UpdateState, because?: string): Updated => ({
    name: extension.name,
    state,
    from,
    to: from,
    ...(because === undefined ? {} : { because })
  })
  const check = yield* checkUpdate(extension, config)
  if (check.state !== "update available") return unchanged(check.state, check.because)
  const updated = yield* replace(extension, config, dialogue).pipe(
    Effect.map((after): Updated => ({ name: after.name, state: "updated", from, to: after.manifest.version })),
    Effect.catchTag("ExtensionError", ({ kind, message }) =>
      Effect.succeed<Updated>({
        ...unchanged("error", message),
        ...(kind === "declined" ? { isDeclined: true } : {})
      })
    )
  )
  yield* logEvent("gemini_cli.extension_update", `Updated extension ${updated.name}`, {
    extension_name: updated.name,
    extension_version: updated.to,
    extension_previous_version: from,
    extension_source: extension.metadata === undefined ? undefined : shownSource(extension.metadata.source),
    status: updated.state === "updated" ? "success" : "error"
  })
  return updated
})

const replace = Effect.fnUntraced(function* (
  extension: InstalledExtension,
  config: ExtensionConfig,
  dialogue: Dialogue
): Effect.fn.Return<InstalledExtension, ExtensionError> {
  const agreesToClone = (reason: string) =>
    Effect.zipRight(dialogue.tell(reason), dialogue.confirm("Do you want to clone the repository in its place?"))
  const after = yield* Effect.acquireUseRelease(
    Effect.interruptible(prepareUpdate(extension, config, agreesToClone)),
    (prepared) => Effect.interruptible(agreed(prepared, config, dialogue)),
    (prepared) => discard(prepared, config)
  )
  const known = extension.manifest.settings ?? []
  const added = (after.manifest.settings ?? []).filter(({ envVar }) => known.every((old) => old.envVar !== envVar))
  if (added.length > 0 && usesStoredSettings(config)) {
    yield* askSettings(added, "user", settingPlace(config, after), dialogue)
  }
  return after
})

const agreed = Effect.fnUntraced(function* (prepared: PreparedUpdate, config: ExtensionConfig, dialogue: Dialogue) {
  if (prepared.needsConsent) {
    yield* dialogue.tell(
      `Version ${prepared.manifest.version} of "${prepared.before.name}" brings other things than before.`
    )
    yield* requireConsent(prepared.consent, dialogue)
  }
  return yield* commitUpdate(prepared, config)
})

/** What became of an update, in one line. */
export const updatedText = ({ because, from, name, state, to }: Updated): string => {
  switch (state) {
    case "up to date":
      return `Extension "${name}" is already up to date (${from}).`
    case "updated":
      return `Extension "${name}" successfully updated: ${from} → ${to}.`
    case "updated, needs restart":
      return `Extension "${name}" successfully updated: ${from} → ${to}. All of it counts from the next start on.`
    case "not updatable":
      return `Extension "${name}" is not updatable: ${because ?? "nothing is known about its source"}.`
    case "error":
      return `Extension "${name}" was not updated: ${because ?? "unknown error"}`
  }
}

interface PreparedUpdate extends PreparedInstall {
  readonly before: InstalledExtension
  /** The new version does or says other things than the one that was agreed to. */
  readonly needsConsent: boolean
}

/**
 * Updating is installing beside what is there. The old copy is kept aside until the new one is in its place and sealed, and
 * comes back if anything fails. Values of settings that the new version still has are carried over.
 */
const prepareUpdate = (
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

const refuseTakenName = ({ name }: InstalledExtension, { manifest }: PreparedInstall, { storage }: ExtensionConfig) =>
  manifest.name !== name && existsSync(join(storage.extensionsDir, manifest.name))
    ? new ExtensionError({
        kind: "exists",
        detail: `The new version of "${name}" is named "${manifest.name}", and there is an extension of that name.`
      })
    : Effect.void

/** The new version is there afterwards, or the old one as it was. */
const commitUpdate = (update: PreparedUpdate, config: ExtensionConfig) =>
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
