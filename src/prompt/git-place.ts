/** The repository around the working folder, from its files: no process is started for it. */
import { statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { projectOf } from "../files/project-root.ts"
import { readTextHead } from "./text-head.ts"

export interface GitPlace {
  /** Top of the working tree. */
  readonly root: string
  /** Branch name, or the beginning of a commit; absent where the files do not say. */
  readonly head: string | undefined
}

export const gitPlace = (cwd: string): GitPlace | undefined => {
  const root = projectOf(cwd, [".git"])
  return root === undefined ? undefined : { root, head: headOf(join(root, ".git")) }
}

const headOf = (git: string): string | undefined => {
  const folder = isFolder(git) ? git : linkedFolder(git)
  if (folder === undefined) return undefined
  const head = lineOf(join(folder, "HEAD"))
  // Names are shown to the model: only what a usual name can hold.
  const branch = /^ref: refs\/heads\/([\w./@+-]{1,120})$/.exec(head)?.[1]
  if (branch !== undefined) return `branch ${branch}`
  return /^[0-9a-f]{40,64}$/.test(head) ? `detached at ${head.slice(0, 9)}` : undefined
}

/** In a linked working tree `.git` is a file that names the folder. */
const linkedFolder = (file: string): string | undefined => {
  const target = /^gitdir: (.+)$/.exec(lineOf(file))?.[1]
  return target === undefined ? undefined : resolve(dirname(file), target)
}

const lineOf = (file: string): string => {
  const head = readTextHead(file, 1024)
  return head.kind === "text" ? (head.text.split("\n")[0] ?? "").trim() : ""
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
