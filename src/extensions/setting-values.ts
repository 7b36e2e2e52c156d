/**
 * Values of the settings that an extension declares. Plain ones stand in a `.env` file: beside the extension for the user,
 * in the project for the workspace. Sensitive ones are in the key store, each scope under a service name of its own. What
 * the workspace says counts before the user's, and only in a trusted folder; the file of a project may not say which
 * programs run or where connections go, whatever the setting is for.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option } from "effect"
import type { Credentials } from "../auth/credentials.ts"
import { parseDotenv } from "../config/dotenv.ts"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { guidesAnything } from "../system/guiding-variables.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { setVariable, valueFault } from "./dotenv-edit.ts"
import { ExtensionError, storageFailure } from "./extension-error.ts"
import type { ExtensionSetting } from "./manifest.ts"

export interface SettingPlace {
  readonly name: string
  readonly id: string
  /** `~/.gemini/extensions/<name>`, also for a linked one. */
  readonly folder: string
  readonly workspace: string
  readonly isTrusted: boolean
  readonly credentials: Credentials["Type"]
}

export type SettingScope = "user" | "workspace"

export interface ExtensionValue {
  readonly value: string
  readonly scope: SettingScope
}

const MAX_BYTES = 1024 * 1024

/** By variable; what was never set is missing. Only sensitive ones are waited for. */
export const readValues = Effect.fnUntraced(function* (settings: ReadonlyArray<ExtensionSetting>, place: SettingPlace) {
  const scopes: ReadonlyArray<SettingScope> = place.isTrusted ? ["workspace", "user"] : ["user"]
  const values = new Map<string, ExtensionValue>()
  for (const scope of scopes) {
    const variables = variablesIn(fileOf(scope, place))
    for (const { envVar, sensitive } of settings) {
      const isOpen = sensitive !== true && !(scope === "workspace" && guidesAnything(envVar))
      const value = isOpen ? ownValue(variables, envVar) : undefined
      if (value !== undefined && !values.has(envVar)) values.set(envVar, { value, scope })
    }
  }
  const secrets = settings.filter(({ sensitive }) => sensitive === true)
  if (secrets.length === 0) return values
  const found = yield* Effect.forEach(secrets, (setting) => firstSecret(setting, scopes, place), { concurrency: 8 })
  for (const [index, { envVar }] of secrets.entries()) {
    const value = found[index]
    if (value !== undefined) values.set(envVar, value)
  }
  return values
})

const firstSecret = Effect.fnUntraced(function* (
  setting: ExtensionSetting,
  scopes: ReadonlyArray<SettingScope>,
  place: SettingPlace
) {
  for (const scope of scopes) {
    const value = Option.getOrUndefined(yield* secretValue(setting, scope, place))
    if (value !== undefined) return { value, scope } satisfies ExtensionValue
  }
  return undefined
})

/** A store that cannot be read has no value to give; what is missing is told where the extension is loaded. */
const secretValue = (setting: ExtensionSetting, scope: SettingScope, place: SettingPlace) =>
  Effect.orElseSucceed(place.credentials.find(secretName(setting, scope, place), Option.some), () =>
    Option.none<string>()
  )

/** `undefined` forgets the value. */
export const storeValue = Effect.fn("Extensions.storeValue")(function* (
  setting: ExtensionSetting,
  value: string | undefined,
  scope: SettingScope,
  place: SettingPlace
) {
  const fault = value === undefined ? undefined : valueFault(value)
  if (fault !== undefined) return yield* new ExtensionError({ kind: "invalid", detail: `${setting.envVar}: ${fault}.` })
  if (setting.sensitive === true) return yield* changeSecretValue(setting, value, scope, place)
  if (value !== undefined && scope === "workspace" && guidesAnything(setting.envVar)) {
    const detail = `${setting.envVar} cannot be kept in the .env of a project: it guides other programs. Use the user scope.`
    return yield* new ExtensionError({ kind: "invalid", detail })
  }
  const file = fileOf(scope, place)
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "refused") {
    return yield* new ExtensionError({ kind: "storage", detail: `${file} ${content.reason}.` })
  }
  const before = content.kind === "text" ? content.text : ""
  const next = setVariable(before, setting.envVar, value)
  if (next === before) return
  if (next === "") return yield* Effect.sync(() => rmSync(file, { force: true }))
  yield* Effect.mapError(writeFileAtomic({ file, content: next, mode: 0o600 }), ({ code }) =>
    storageFailure(file, code)
  )
})

const changeSecretValue = (
  setting: ExtensionSetting,
  value: string | undefined,
  scope: SettingScope,
  place: SettingPlace
) => {
  const name = secretName(setting, scope, place)
  const { forget, keep } = place.credentials
  return (value === undefined ? forget(name) : keep(name, value)).pipe(
    Effect.asVoid,
    Effect.mapError(({ message }) => new ExtensionError({ kind: "storage", detail: message }))
  )
}

const secretName = ({ envVar }: ExtensionSetting, scope: SettingScope, { id, name, workspace }: SettingPlace) => ({
  service: `Gemini CLI Extensions ${name} ${id}${scope === "workspace" ? ` ${workspace}` : ""}`,
  account: envVar
})

const fileOf = (scope: SettingScope, { folder, workspace }: SettingPlace): string =>
  join(scope === "user" ? folder : workspace, ".env")

const variablesIn = (file: string): Readonly<Record<string, string>> => {
  const content = readRegularFile(file, MAX_BYTES)
  return content.kind === "text" ? parseDotenv(content.text) : {}
}

const ownValue = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined
