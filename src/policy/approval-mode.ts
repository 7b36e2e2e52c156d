/**
 * The approval mode that counts: at the start from what was asked for, the settings and the trust in the folder, later
 * from the changes since. Pure.
 */
import { Either } from "effect"
import { yoloForbiddenBy } from "../config/administrator.ts"
import type { SettingsView } from "../config/settings.ts"
import { type ApprovalMode, isFreer, type Trust } from "../protocol/modes.ts"

export interface ModeQuestion {
  /** By a flag; a mode of the settings gives way more easily. */
  readonly asked: ApprovalMode | undefined
  readonly settings: SettingsView
  readonly trust: Trust
}

export interface EffectiveMode {
  readonly mode: ApprovalMode
  /** Why it is not the wanted one. */
  readonly notice?: string
}

/** Left: the setting that forbids the mode. */
export const effectiveMode = ({
  asked,
  settings,
  trust
}: ModeQuestion): Either.Either<EffectiveMode, NonNullable<ReturnType<typeof yoloForbiddenBy>>> => {
  const mode: ApprovalMode = asked ?? settings.get("general.defaultApprovalMode")
  const forbidding = mode === "yolo" ? yoloForbiddenBy(settings) : undefined
  if (forbidding !== undefined) return Either.left(forbidding)
  if (mode === "plan" && !settings.get("general.plan.enabled"))
    return Either.right(fallBack("plan mode is off (general.plan.enabled)"))
  if (trust === "untrusted" && mode !== "default" && asked === undefined)
    return Either.right(fallBack(`approval mode ${mode} of the settings needs a trusted folder`))
  return Either.right({ mode })
}

const fallBack = (why: string): EffectiveMode => ({ mode: "default", notice: `${why}; approval mode is default` })

export interface ModeState {
  /** The mode of the start: nothing but a person's word goes above it. */
  readonly began: ApprovalMode
  readonly current: ApprovalMode
  /** Where leaving plan mode leads when nobody can be asked. A run that began with planning has nowhere to go. */
  readonly afterPlan: ApprovalMode
}

export const beginIn = (mode: ApprovalMode): ModeState => ({ began: mode, current: mode, afterPlan: mode })

/** Planning is an interlude: it gives way to what was on before it, never to more than the run began with. */
export const switchTo = (state: ModeState, next: ApprovalMode): ModeState => {
  if (next !== "plan" || state.current === "plan") return { ...state, current: next }
  const afterPlan = isFreer(state.current, state.began) ? state.began : state.current
  return { ...state, current: next, afterPlan }
}
