/** The skills that a run in this folder has, from its settings, its trust and its extensions. */
import type { LoadedConfig } from "../config/load.ts"
import type { ExtensionParts } from "../protocol/extension-parts.ts"
import { skillFolders } from "./skill-folders.ts"
import * as Skills from "./skills.ts"

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
