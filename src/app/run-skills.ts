/** The skills of a run: where they are, and what is to be said of broken ones. */
import { Effect } from "effect"
import { Stderr } from "../output/stderr.ts"
import * as Skills from "../skills/skills.ts"
import * as SkillsFromConfig from "../skills/skills-from-config.ts"
import type { AppInput } from "./app.ts"

/** A `--bare` run has none at all. */
export const skills = Effect.fnUntraced(function* ({ config, extensions = [], plan }: AppInput) {
  const { settings } = config
  if (plan.bare || !settings.get("skills.enabled") || !settings.get("admin.skills.enabled")) return Skills.none
  const made = yield* SkillsFromConfig.make(config, extensions)
  const warnings = yield* made.warnings
  if (warnings.length > 0) {
    const stderr = yield* Stderr
    yield* Effect.forEach(warnings, (text) => stderr.notice(`[WARNING] ${text}`), { discard: true })
  }
  return made
})
