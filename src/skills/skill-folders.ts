/** Where skills are looked for. A folder that is not there costs one look, and a run without any loads nothing more. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { projectBorder } from "../files/brought-file.ts"
import type { SkillSource } from "./skill.ts"

export interface SkillFolder {
  readonly path: string
  readonly source: Exclude<SkillSource, { readonly _tag: "BuiltIn" }>
  /** Its skills lie in here, links followed; absent for folders of the user, who may link to any place. */
  readonly border?: string
}

export interface SkillPlaces {
  /** Folders of extensions, in order of their names. */
  readonly extensions: ReadonlyArray<{ readonly name: string; readonly path: string }>
  /** `~/.gemini/skills` */
  readonly userDir: string
  /** `~/.agents/skills` */
  readonly sharedDir: string
  /** The working folder; absent where it is not trusted. */
  readonly project: string | undefined
  readonly home?: string | undefined
}

/** Below the working folder, from weak to strong. */
export const PROJECT_FOLDERS: ReadonlyArray<string> = [".gemini/skills", ".agents/skills"]

/** From weak to strong: of two skills with the same name the later one counts. */
export const skillFolders = ({
  extensions,
  home,
  project,
  sharedDir,
  userDir
}: SkillPlaces): ReadonlyArray<SkillFolder> => {
  const folders: ReadonlyArray<SkillFolder> = [
    ...extensions.map(({ name, path }) => ({
      path: join(path, "skills"),
      source: { _tag: "Extension", extension: name } as const,
      border: path
    })),
    { path: userDir, source: { _tag: "User" } },
    { path: sharedDir, source: { _tag: "User" } },
    ...(project === undefined
      ? []
      : PROJECT_FOLDERS.map((folder) => ({
          path: join(project, folder),
          source: { _tag: "Project" } as const,
          border: projectBorder(project, { home })
        })))
  ]
  // In the home folder those of the project are those of the user.
  return folders.filter(({ path }, index) => folders.findIndex((other) => other.path === path) === index)
}

export interface ListedFolder extends SkillFolder {
  readonly names: ReadonlyArray<string>
}

/** Those that hold something, with the names in them. */
export const listFolders = (folders: ReadonlyArray<SkillFolder>): ReadonlyArray<ListedFolder> =>
  folders.flatMap((folder) => {
    const names = namesIn(folder.path)
    return names.length === 0 ? [] : [{ ...folder, names }]
  })

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
