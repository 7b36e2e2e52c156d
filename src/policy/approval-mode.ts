/** The approval mode that counts, from what was asked for, the settings and the trust in the folder. Pure. */
import { Either } from "effect"
import type { SettingsView } from "../config/settings.ts"
import type { ApprovalMode, Trust } from "../protocol/modes.ts"

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
}: ModeQuestion): Either.Either<EffectiveMode, "security.disableYoloMode"> => {
  const mode: ApprovalMode = asked ?? settings.get("general.defaultApprovalMode")
  if (mode === "yolo" && settings.get("security.disableYoloMode")) return Either.left("security.disableYoloMode")
  if (mode === "plan" && !settings.get("general.plan.enabled"))
    return Either.right(fallBack("plan mode is off (general.plan.enabled)"))
  if (trust === "untrusted" && mode !== "default" && asked === undefined)
    return Either.right(fallBack(`approval mode ${mode} of the settings needs a trusted folder`))
  return Either.right({ mode })
}

const fallBack = (why: string): EffectiveMode => ({ mode: "default", notice: `${why}; approval mode is default` })
