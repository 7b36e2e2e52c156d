/** The skills that a run in this folder has, from its settings, its trust and its extensions. */
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { service } from "../kernel/layers.ts"
import { Notices } from "../protocol/notices.ts"
import type { ExtensionParts, RunFacts } from "../protocol/run-facts.ts"
import { skillFolders } from "./skill-folders.ts"
import * as Skills from "./skills.ts"

/** A `--bare` run has none at all. Broken ones are named. */
export const layer = (config: LoadedConfig, { extensions, isBare }: Pick<RunFacts, "isBare" | "extensions">) =>
  service(
    Skills.Skills,
    Effect.gen(function* () {
      const { settings } = config
      if (isBare || !settings.get("skills.enabled") || !settings.get("admin.skills.enabled")) return Skills.none
      const { warn } = yield* Notices
      const skills = yield* make(config, extensions)
      yield* Effect.forEach(yield* skills.warnings, warn, { discard: true })
      return skills
    })
  )

/** A folder that is not trusted brings none of its own. */
export const make = (
  { environment, settings, storage, trust }: LoadedConfig,
  extensions: ReadonlyArray<Pick<ExtensionParts, "name" | "path">>
) =>
  Skills.make({
    folders: skillFolders({
      extensions,
      userDir: storage.userSkillsDir,
      sharedDir: storage.sharedSkillsDir,
      home: environment.home,
      project: trust.trust === "trusted" ? environment.cwd : undefined
    }),
    disabled: settings.get("skills.disabled"),
    workspace: environment.cwd,
    extensionPaths: new Map(extensions.map(({ name, path }) => [name, path]))
  })
