/** `--list-extensions`: it needs no model, no credentials and no trust, and ends the program. */
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { jsonText } from "../kernel/readable-text.ts"
import type { OutputFormat } from "../protocol/modes.ts"
import { extensionDocument } from "./extension-report.ts"
import { listExtensions } from "./list.ts"

/** What is to be printed. */
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
