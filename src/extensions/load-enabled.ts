/** Reads what is installed, and of what is on here all that it brings. Loaded where something is installed. */
import { Effect, Either } from "effect"
import { credentialsOf } from "../auth/credentials.ts"
import { enablementFile, readEnablement } from "./enablement-file.ts"
import { type ExtensionConfig, usesStoredSettings } from "./extension-config.ts"
import { type InstalledExtension, readInstalled } from "./installed.ts"
import { recoverLeftovers } from "./leftovers.ts"
import type { LoadExtensionsInput, LoadedExtensions } from "./load-extensions.ts"
import { partsOf } from "./parts.ts"
import { isSame, type Standing, standingOf } from "./selection.ts"

/** Every installed extension with what was decided about it. */
export interface Standings {
  readonly all: ReadonlyArray<{ readonly extension: InstalledExtension; readonly standing: Standing }>
  readonly problems: ReadonlyArray<string>
}

export const standings = Effect.fnUntraced(function* (input: LoadExtensionsInput) {
  const { environment, settings, storage } = input.config
  recoverLeftovers(storage.extensionsDir)
  const file = enablementFile(storage.extensionsDir)
  const rules = readEnablement(file)
  const { extensions, problems } = yield* readInstalled(storage.extensionsDir)
  const selection = {
    settings,
    rules: Either.getOrElse(rules, () => new Map()),
    cwd: environment.cwd,
    named: input.named,
    session: input.session ?? new Map()
  }
  return {
    all: extensions.map((extension) => ({ extension, standing: standingOf(extension, selection) })),
    problems: Either.isLeft(rules) ? [`${file} ${rules.left}; every extension counts as on`, ...problems] : problems
  } satisfies Standings
})

export const loadEnabled = Effect.fnUntraced(function* (input: LoadExtensionsInput) {
  const { all, problems } = yield* standings(input)
  const on = all.flatMap(({ extension, standing }) => (standing.isOn ? [extension] : []))
  const keepsSecrets = on.some(({ manifest }) => manifest.settings?.some(({ sensitive }) => sensitive === true))
  const parts = yield* Effect.forEach(on, (extension) => partsOf(extension, partsInput(input.config)), {
    // Only key stores are waited for; without them fibers would only cost.
    concurrency: keepsSecrets ? 8 : 1
  })
  const kept = all.flatMap(({ extension: { name }, standing }) =>
    standing.isOn || !standing.isNews ? [] : [`extension "${name}" is left out: ${standing.because}`]
  )
  return {
    extensions: parts.map(({ extension }) => extension),
    notices: [
      ...[...problems, ...kept, ...parts.flatMap((one) => one.problems)].map((text) => `[WARNING] ${text}`),
      // Uninstalled meanwhile: at the start it was there.
      ...unknownNames(input.named ?? [], all).map(
        (name) => `[ERROR] -e names an extension that is not installed any more: "${name}"`
      )
    ]
  } satisfies LoadedExtensions
})

const partsInput = (config: ExtensionConfig) => ({
  workspace: config.environment.cwd,
  isTrusted: config.trust.trust === "trusted",
  variable: config.environment.get,
  credentials: usesStoredSettings(config) ? credentialsOf(config) : undefined
})

/** Names of `-e` that nothing is installed under. */
export const unknownExtensions = Effect.fnUntraced(function* (
  input: LoadExtensionsInput & { readonly named: ReadonlyArray<string> }
) {
  const { all } = yield* standings(input)
  return unknownNames(input.named, all)
})

const unknownNames = (named: ReadonlyArray<string>, all: Standings["all"]): ReadonlyArray<string> =>
  named.filter(
    (name) => !["", "none"].includes(name.toLowerCase()) && all.every(({ extension }) => !isSame(extension.name, name))
  )
