/** The hooks of a run that has some: which of them may run, and what the person is told about the others. */

import { Effect } from "effect"
import { variableRedaction } from "../config/variable-redaction.ts"
import { placeOf, shownName } from "../hooks/hook.ts"
import { type FoundHooks, findHooks } from "../hooks/hooks-from-config.ts"
import { makeHooks } from "../hooks/make-hooks.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { Stderr } from "../output/stderr.ts"
import { SessionRecorder } from "../session/session-recorder.ts"
import type { AppInput } from "./app.ts"
import { runSecrets } from "./run-secrets.ts"
import { UntrustedFolder } from "./start-error.ts"
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
  const found = yield* findHooks(config, extensions, input.acceptedHooks)
  yield* Effect.forEach(found.problems, (problem) => stderr.notice(`[WARNING] hooks: ${problem}`), { discard: true })
  if (found.pending.length > 0) yield* tellPending(found, input)
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

/** New ones are left out and told; what changed after it was confirmed ends a run that nobody watches. */
const tellPending = Effect.fnUntraced(function* ({ isChange, pending }: FoundHooks, input: AppInput) {
  const stderr = yield* Stderr
  const folder = input.config.environment.cwd
  const names = pending.map((hook) => `${hook.event} ${shownName(hook)} (${placeOf(hook.source)})`).join(", ")
  if (input.person === undefined && isChange) {
    return yield* new UntrustedFolder({ folder, because: `its hooks changed since you confirmed them: ${names}` })
  }
  const advice =
    input.person === undefined ? "start gemini here to confirm them, or add --skip-trust" : "they were not confirmed"
  yield* stderr.notice(`[WARNING] hooks of this project do not run (${advice}): ${names}`)
})
