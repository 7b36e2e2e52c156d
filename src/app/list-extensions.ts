/** `--list-extensions`: it needs no model, no credentials and no trust, and ends the program. */
import { Effect } from "effect"
import type { RunOptions } from "../cli/run-options.ts"
import type { LoadedConfig } from "../config/load.ts"
import { extensionDocument } from "../extensions/extension-report.ts"
import { listExtensions } from "../extensions/list.ts"
import { jsonText } from "../kernel/readable-text.ts"

/** What is to be printed. */
export const listedExtensions = Effect.fnUntraced(function* (options: RunOptions, config: LoadedConfig) {
  const { reports } = yield* listExtensions(config, { named: options.extensions })
  const format = options.outputFormat ?? config.settings.get("output.format")
  if (format !== "text") return `${jsonText(reports.map(extensionDocument), 2)}\n`
  const lines = reports.map(
    ({ extension, standing }) => `- ${extension.name}${standing.isOn ? "" : ` (off: ${standing.because})`}`
  )
  return lines.length === 0 ? "No extensions installed.\n" : `Installed extensions:\n${lines.join("\n")}\n`
})
