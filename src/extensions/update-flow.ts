/** Updating with a person, or without one: then a version that does other things than the old one has to wait. */
import { Effect } from "effect"
import { logEvent } from "../telemetry/telemetry.ts"
import { checkUpdate } from "./check-update.ts"
import type { Dialogue } from "./dialogue.ts"
import { type ExtensionConfig, settingPlace, usesStoredSettings } from "./extension-config.ts"
import type { ExtensionError } from "./extension-error.ts"
import { discard } from "./install.ts"
import { requireConsent } from "./install-flow.ts"
import type { InstalledExtension } from "./installed.ts"
import { askSettings } from "./setting-questions.ts"
import { shownSource } from "./source.ts"
import { commitUpdate, type PreparedUpdate, prepareUpdate } from "./update.ts"

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
