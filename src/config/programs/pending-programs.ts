/** Programs of the project that may not run yet, because nobody has confirmed them in their present form. */
import { Effect } from "effect"
import { Notices } from "../../protocol/notices.ts"
import type { RunFacts } from "../../protocol/run-facts.ts"
import { UntrustedFolder } from "../config-error.ts"
import type { LoadedConfig } from "../load.ts"
import { programTrust } from "./program-trust.ts"
import { PROGRAM_KINDS, type ProjectProgram } from "./project-program.ts"

/** Those of `programs` that may not run yet. */
export const pendingPrograms = (
  programs: ReadonlyArray<ProjectProgram>,
  config: LoadedConfig,
  accepted?: ReadonlySet<string>
) => {
  const { isChange, mayRun } = programTrust(config, accepted)
  const pending = programs.filter(({ fingerprint }) => !mayRun(fingerprint))
  return { pending, isChange: pending.some(({ kind }) => isChange(kind)) }
}

/** New ones are left out and named; what changed after it was confirmed ends a run that nobody watches. */
export const reportPending = Effect.fnUntraced(function* (
  programs: ReadonlyArray<ProjectProgram>,
  config: LoadedConfig,
  { acceptedPrograms, isInteractive }: Pick<RunFacts, "acceptedPrograms" | "isInteractive">
) {
  const { isChange, pending } = pendingPrograms(programs, config, acceptedPrograms)
  const [first] = pending
  if (first === undefined) return
  const { warn } = yield* Notices
  const names = pending.map(({ place, what }) => `${what} (${place})`).join(", ")
  const kind = PROGRAM_KINDS[first.kind]
  if (!isInteractive && isChange) {
    const folder = config.environment.cwd
    return yield* new UntrustedFolder({ folder, because: `its ${kind} changed since you confirmed them: ${names}` })
  }
  const advice = isInteractive ? "they were not confirmed" : "start gemini here to confirm them, or add --skip-trust"
  yield* warn(`${kind} of this project do not run (${advice}): ${names}`)
})
