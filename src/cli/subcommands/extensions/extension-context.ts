/** What every verb of `gemini extensions` begins and ends with: the configuration, a dialogue, one way to report. */

import { Effect } from "effect"
import { managedAt } from "../../../config/administrator.ts"
import { ExtensionError } from "../../../extensions/extension-error.ts"
import type { Dialogue } from "../../../extensions/setting-questions.ts"
import { failureLine } from "../../../output/run-writer.ts"
import { ExitCode } from "../../../protocol/exit-code.ts"
import { CliContext, type CliContextView } from "../../cli-context.ts"
import { exitWith } from "../../command-exit.ts"
import { usageError } from "../../usage-error.ts"
import { loadSettings } from "../load-settings.ts"

/** The configuration, unless extensions may not be managed at all. */
export const loadForExtensions = Effect.fnUntraced(function* () {
  const config = yield* loadSettings()
  if (!config.settings.get("admin.extensions.enabled")) {
    return yield* new ExtensionError({
      kind: "administrator",
      detail: `Your administrator turned extensions off (${managedAt(config.settings)}).`
    })
  }
  if (!config.settings.get("experimental.extensionManagement")) {
    return yield* usageError(
      "extensions cannot be managed: experimental.extensionManagement is off",
      "Turn it on in the settings."
    )
  }
  return config
})

/** Questions and what belongs to them go to standard error: standard output is the result. */
export const dialogueOf = ({ ask, writeError }: CliContextView): Dialogue => ({
  confirm: (question) =>
    Effect.map(ask(`${question} [y/N]:`, { isHidden: false }), (answer = "") => /^\s*y(?:es)?\s*$/i.test(answer)),
  ask,
  tell: (text) => writeError(`${text}\n`)
})

export const complain = Effect.fnUntraced(function* ({ advice, detail }: ExtensionError) {
  const context = yield* CliContext
  const line = failureLine({
    type: "ExtensionError",
    message: detail,
    help: "bad-extension",
    ...(advice === undefined ? {} : { hint: advice })
  })
  yield* context.writeError(`${line}\n`)
})

/** What went wrong is said with all its lines. An administrator's word ends with the code of settings. */
export const reported = <A, E, R>(
  effect: Effect.Effect<A, E | ExtensionError, R>,
  exitCode: ExitCode = ExitCode.general
) =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchIf(
      (error): error is ExtensionError => error instanceof ExtensionError,
      (error) => Effect.zipRight(complain(error), exitWith(error.kind === "administrator" ? ExitCode.config : exitCode))
    )
  )
