/**
 * Extensions that were installed with `--auto-update`, brought up to date in the background. Nobody is asked: a version that
 * brings other things than the one that was agreed to waits for a person, and being offline is no news.
 */
import { Effect } from "effect"
import type { ExtensionConfig } from "./extension-config.ts"
import { readInstalled } from "./installed.ts"
import { nobody } from "./setting-questions.ts"
import { update, updatedText } from "./update-flow.ts"

/** `tell` gets one line for each extension that is newer from the next start on, or that waits. */
export const autoUpdate = Effect.fn("Extensions.autoUpdate")(function* (
  config: ExtensionConfig,
  tell: (line: string) => Effect.Effect<void>
) {
  const { extensions } = yield* readInstalled(config.storage.extensionsDir)
  for (const extension of extensions.filter(({ metadata }) => metadata?.autoUpdate === true)) {
    const updated = yield* update(extension, config, nobody)
    if (updated.state === "updated") {
      yield* tell(`[INFO] ${updatedText({ ...updated, state: "updated, needs restart" })}`)
    } else if (updated.isDeclined === true) {
      yield* tell(
        `[INFO] A newer version of "${updated.name}" brings other things than before: gemini extensions update ${updated.name} shows them.`
      )
    } else if (updated.state === "error") {
      yield* Effect.logDebug("extension not updated").pipe(
        Effect.annotateLogs({ name: updated.name, because: updated.because ?? "" })
      )
    }
  }
})
