/** The skills of a run: where they are, and what is to be said of broken ones. */
import { Effect } from "effect"
import { Stderr } from "../output/stderr.ts"
import { skillFolders } from "../skills/skill-folders.ts"
import * as Skills from "../skills/skills.ts"
import type { AppInput } from "./app.ts"

/** A folder that is not trusted brings none of its own; a `--bare` run has none at all. */
export const skills = Effect.fnUntraced(function* ({ config, extensions = [], plan }: AppInput) {
  const { environment, settings, storage, trust } = config
  if (plan.bare || !settings.get("skills.enabled") || !settings.get("admin.skills.enabled")) return Skills.none
  const made = yield* Skills.make({
    folders: skillFolders({
      extensions,
      userDir: storage.userSkillsDir,
      sharedDir: storage.sharedSkillsDir,
      project: trust.trust === "trusted" ? environment.cwd : undefined
    }),
    disabled: settings.get("skills.disabled"),
    workspace: environment.cwd,
    extensionPaths: new Map(extensions.map(({ name, path }) => [name, path]))
  })
  const warnings = yield* made.warnings
  if (warnings.length > 0) {
    const stderr = yield* Stderr
    yield* Effect.forEach(warnings, (text) => stderr.notice(`[WARNING] ${text}`), { discard: true })
  }
  return made
})
