/** All that is installed, with its state here. */
import { Effect, Either } from "effect"
import { enablementFile, readEnablement } from "./enablement-file.ts"
import { type ExtensionConfig, settingPlace } from "./extension-config.ts"
import type { Reported } from "./extension-report.ts"
import { standings } from "./load-enabled.ts"
import type { LoadExtensionsInput } from "./load-extensions.ts"
import { readValues } from "./setting-values.ts"
import { homeOf } from "./turn.ts"

export interface Listed {
  readonly reports: ReadonlyArray<Reported>
  readonly problems: ReadonlyArray<string>
}

export const listExtensions = Effect.fn("Extensions.list")(function* (
  config: ExtensionConfig,
  input: Omit<LoadExtensionsInput, "config"> = {}
) {
  const { all, problems } = yield* standings({ ...input, config })
  const rules = Either.getOrElse(readEnablement(enablementFile(config.storage.extensionsDir)), () => new Map())
  const reports = yield* Effect.forEach(all, ({ extension, standing }) =>
    Effect.map(
      readValues(extension.manifest.settings ?? [], settingPlace(config, extension)),
      (values): Reported => ({
        extension,
        standing,
        rules: rules.get(extension.name) ?? [],
        home: homeOf(config),
        workspace: config.environment.cwd,
        values
      })
    )
  )
  return { reports, problems } satisfies Listed
})
