/** The hooks of a run that has some: which of them may run, and what the person is told about the others. */

import { Effect } from "effect"
import { variableRedaction } from "../config/variable-redaction.ts"
import { findHooks } from "../hooks/hooks-from-config.ts"
import { makeHooks } from "../hooks/make-hooks.ts"
import { hookPrograms } from "../hooks/project-hooks.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { Stderr } from "../output/stderr.ts"
import { SessionRecorder } from "../session/session-recorder.ts"
import type { AppInput } from "./app.ts"
import { tellPending } from "./project-programs.ts"
import { runSecrets } from "./run-secrets.ts"
import type { ToolPlaces } from "./tool-places.ts"

export const startHooks = Effect.fnUntraced(function* (
  input: AppInput,
  places: ToolPlaces,
  own: ReadonlyArray<Secret>
) {
  const { config, extensions = [], facts } = input
  const { environment, settings } = config
  const recorder = yield* SessionRecorder
  const stderr = yield* Stderr
  const found = yield* findHooks(config, extensions, input.acceptedPrograms)
  yield* Effect.forEach(found.problems, (problem) => stderr.notice(`[WARNING] hooks: ${problem}`), { discard: true })
  yield* tellPending(hookPrograms(found), input)
  return yield* makeHooks({
    hooks: found.hooks,
    pending: found.pending,
    disabled: new Set(settings.get("hooksConfig.disabled")),
    // Where nobody looks, a status line is work for nothing.
    announces: settings.get("hooksConfig.notifications") && (input.person !== undefined || stderr.isTerminal),
    sessionId: facts.sessionId,
    transcript: recorder.file,
    cwd: environment.cwd,
    plansDir: places.plansDir,
    variables: environment.variables,
    redaction: variableRedaction(settings),
    platform: environment.platform,
    secrets: Effect.sync(() => [...runSecrets(config), ...own])
  })
})
