/**
 * Which files of the workspace a snapshot covers: all that git tracks, and all but version control data, installed
 * packages, what the ignore files name, and our own data. It is settled when the run begins: a run that writes an ignore
 * file does not thereby hide from undo what it makes.
 */
import { join } from "node:path"
import { isInside } from "../../files/containment.ts"
import { CORE_FOLDERS } from "../../files/excludes.ts"
import { ignoreRules } from "../../files/ignore-rules.ts"
import { trackedPaths } from "./tracked-paths.ts"

export interface Cover {
  readonly root: string
  /** Whether an entry of a folder is left out. */
  readonly leavesOut: (path: string, name: string, isFolder: boolean) => boolean
  /** Reads the ignore files of a folder. Those of folders that were never named here do not count. */
  readonly readRules: (folder: string) => void
}

const NEVER: ReadonlySet<string> = new Set(CORE_FOLDERS)

/** `ownData` is the folder of our own files, which may lie in the workspace when that is the home folder. */
export const coverOf = (root: string, ownData: string): Cover => {
  const counting = new Set<string>()
  const rules = ignoreRules({
    root,
    respectGitIgnore: true,
    respectGeminiIgnore: false,
    customFiles: [],
    countsRulesOf: (folder) => counting.has(folder) || !isInside(root, folder)
  })
  const tracked = trackedPaths(root)
  return {
    root,
    leavesOut: (path, name, isFolder) =>
      name === ".git" || path === ownData || ((NEVER.has(name) || rules.ignores(path, isFolder)) && !tracked.has(path)),
    readRules: (folder) => {
      counting.add(folder)
      rules.ignores(join(folder, "entry"), false)
    }
  }
}

/** Folders with one of these have rules of their own. */
export const isRulesName = (name: string): boolean => name === ".gitignore" || name === ".git"
