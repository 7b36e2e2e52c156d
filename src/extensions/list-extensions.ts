/** All that is installed, with its state here. */
import { Effect, Either } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { jsonText } from "../kernel/readable-text.ts"
import type { OutputFormat } from "../protocol/modes.ts"
import { enablementFile, readEnablement } from "./enablement-file.ts"
import { type ExtensionConfig, settingPlace } from "./extension-config.ts"
import { extensionDocument, type Reported } from "./extension-report.ts"
import { standings } from "./load-enabled.ts"
import type { LoadExtensionsInput } from "./load-extensions.ts"
import { readValues } from "./setting-values.ts"
import { homeOf } from "./switch-extension.ts"

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

/** What `--list-extensions` prints: it needs no model, no credentials and no trust, and ends the program. */
export const listedExtensions = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { format, named }: { readonly format: OutputFormat; readonly named: ReadonlyArray<string> | undefined }
) {
  const { reports } = yield* listExtensions(config, { named })
  if (format !== "text") return `${jsonText(reports.map(extensionDocument), 2)}\n`
  const lines = reports.map(
    ({ extension, standing }) => `- ${extension.name}${standing.isOn ? "" : ` (off: ${standing.because})`}`
  )
  return lines.length === 0 ? "No extensions installed.\n" : `Installed extensions:\n${lines.join("\n")}\n`
})
