/**
 * What a person agrees to when they confirm a hook of a project: when it runs, the command, its variables and time, and
 * the content of the project's files that the command names. Any change makes another fingerprint.
 */
import { readFileSync, statSync } from "node:fs"
import { relative, resolve, sep } from "node:path"
import { type Places, withPlaces } from "./command-text.ts"
import type { Hook } from "./hook.ts"

export const fingerprintOf = (hook: Hook, places: Places, project: string): string => {
  const hash = new Bun.CryptoHasher("sha256")
  const env = Object.entries(hook.env).toSorted(([one], [other]) => (one < other ? -1 : 1))
  hash.update(JSON.stringify([hook.event, hook.matcher ?? "", hook.command, env, hook.timeoutMs]))
  for (const file of namedFiles(hook.command, places, project)) {
    hash.update(`\0${relative(project, file)}\0`)
    hash.update(contentOf(file))
  }
  return `sha256:${hash.digest("hex")}`
}

/** A script behind an interpreter (`python3 check.py`) is as much the hook as one that is called by itself. */
const namedFiles = (command: string, places: Places, project: string): ReadonlyArray<string> => {
  const words = command.split(/[\s;|&()<>]+/).map((word) => withPlaces(word.replace(/["']/g, ""), places))
  const files = words.filter((word) => word !== "").map((word) => resolve(project, word))
  return [...new Set(files)].filter((file) => file.startsWith(`${project}${sep}`) && isFile(file))
}

const isFile = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

/** One that cannot be read is not the one that could. */
const contentOf = (file: string): Uint8Array | string => {
  try {
    return readFileSync(file)
  } catch {
    return "unreadable"
  }
}
