/** The hooks of a run that has some: which of them may run, and what the person is told about the others. */
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { reportPending } from "../config/programs/pending-programs.ts"
import { RunFolders } from "../config/run-folders.ts"
import { Secrets } from "../config/secrets.ts"
import { variableRedaction } from "../config/variable-redaction.ts"
import { Notices } from "../protocol/notices.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import { TranscriptFile } from "../protocol/transcript-file.ts"
import { Sandbox } from "../sandbox/sandbox.ts"
import { findHooks } from "./find-hooks.ts"
import { makeHooks } from "./make-hooks.ts"
import { hookPrograms } from "./project-hooks.ts"

export interface HookFacts extends Pick<RunFacts, "sessionId" | "extensions" | "acceptedPrograms" | "isInteractive"> {
  /** Somebody may see a status line: where nobody looks, it is work for nothing. */
  readonly isWatched: boolean
}

export const startHooks = Effect.fnUntraced(function* (config: LoadedConfig, run: HookFacts) {
  const { environment, settings } = config
  const { warn } = yield* Notices
  const { plansDir } = yield* RunFolders
  const found = yield* findHooks(config, run.extensions, run.acceptedPrograms)
  yield* Effect.forEach(found.problems, (problem) => warn(`hooks: ${problem}`), { discard: true })
  yield* reportPending(hookPrograms(found), config, run)
  return yield* makeHooks({
    hooks: found.hooks,
    pending: found.pending,
    disabled: new Set(settings.get("hooksConfig.disabled")),
    announces: settings.get("hooksConfig.notifications") && run.isWatched,
    sessionId: run.sessionId,
    transcript: yield* TranscriptFile,
    cwd: environment.cwd,
    plansDir,
    variables: environment.variables,
    redaction: variableRedaction(settings),
    platform: environment.platform,
    sandbox: yield* Sandbox,
    secrets: (yield* Secrets).all
  })
})
