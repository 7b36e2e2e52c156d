/** Turns extensions on and off: for the user, for one folder. */
import { realpathSync } from "node:fs"
import { Effect, Either } from "effect"
import { isInside } from "../files/containment.ts"
import { serverId } from "../mcp/admission.ts"
import { readDisabled, setDisabled } from "../mcp/enablement-file.ts"
import { logEvent } from "../telemetry/telemetry.ts"
import { decisionFor, ruleFor, withRule } from "./enablement.ts"
import { changeRules, enablementFile, readEnablement } from "./enablement-file.ts"
import type { ExtensionConfig } from "./extension-config.ts"
import { ExtensionError } from "./extension-error.ts"
import type { InstalledExtension } from "./installed.ts"
import { isSame } from "./selection.ts"

export type TurnScope = "user" | "workspace"

/** For the user, and here as well where something else than a rule for the home folder decides, and keeps it off. */
export const turnOnEverywhere = Effect.fn("Extensions.turnOnEverywhere")(function* (
  extension: InstalledExtension,
  config: ExtensionConfig
) {
  yield* turnOn(extension, "user", config)
  const rules = readEnablement(enablementFile(config.storage.extensionsDir))
  const here = Either.isRight(rules) ? (rules.right.get(extension.name) ?? []) : []
  const isNamed = config.settings.get("extensions.disabled").some((name) => isSame(name, extension.name))
  if (decisionFor(here, config.environment.cwd) ?? !isNamed) return
  yield* turnOn(extension, "workspace", config)
})

/** What to say where a rule of the user does not cover the present folder; `undefined` where it does. */
export const notCovered = (scope: string, config: ExtensionConfig): string | undefined => {
  const home = homeOf(config)
  return scope !== "user" || home === undefined || isInside(home, config.environment.cwd)
    ? undefined
    : `[INFO] the rule covers ${home} and what is below; this folder is elsewhere: --scope workspace turns it off here`
}

/** Servers of the extension that were turned off come back with it. */
export const turnOn = Effect.fn("Extensions.turnOn")(function* (
  { manifest, name }: InstalledExtension,
  scope: TurnScope,
  config: ExtensionConfig
) {
  yield* turn(name, scope, config, false)
  const file = config.storage.mcpEnablementFile
  const off = readDisabled(file)
  yield* Effect.forEach(
    Object.keys(manifest.mcpServers ?? {}).filter((server) => off.has(serverId(server))),
    (server) =>
      Effect.mapError(
        setDisabled(file, server, false),
        ({ message }) => new ExtensionError({ kind: "storage", detail: message })
      ),
    { discard: true }
  )
})

export const turnOff = ({ name }: InstalledExtension, scope: TurnScope, config: ExtensionConfig) =>
  turn(name, scope, config, true)

export const enableForUser = (name: string, config: ExtensionConfig) => turn(name, "user", config, false)

const turn = Effect.fnUntraced(function* (name: string, scope: TurnScope, config: ExtensionConfig, isOff: boolean) {
  const folder = scope === "user" ? homeOf(config) : config.environment.cwd
  if (folder === undefined) {
    return yield* new ExtensionError({
      kind: "storage",
      detail: "There is no home folder to keep extensions in.",
      advice: "Set HOME or GEMINI_CLI_HOME."
    })
  }
  const file = enablementFile(config.storage.extensionsDir)
  yield* changeRules(file, name, (rules) => withRule(rules, ruleFor(folder, isOff)))
  yield* logEvent(isOff ? "gemini_cli.extension_disable" : "gemini_cli.extension_enable", `Turned extension ${name}`, {
    extension_name: name,
    setting_scope: scope
  })
})

/** Working folders are compared by their real paths. */
export const homeOf = ({ environment: { home } }: ExtensionConfig): string | undefined => {
  try {
    return home === undefined ? undefined : realpathSync(home)
  } catch {
    return home
  }
}
