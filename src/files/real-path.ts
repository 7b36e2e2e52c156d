/**
 * The real path of something that may not exist yet: the nearest existing ancestor is resolved and the rest appended.
 * A dangling link is followed to where a write through it would land, which is what a border check must look at.
 */
import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { errnoOf } from "./file-error.ts"

/** As the kernel: more links than this in one path are a loop. */
const MAX_LINKS = 40

/** Throws the system's error for a loop (`ELOOP`) or a folder that may not be searched (`EACCES`). */
export const realPathOf = (path: string, links = 0): string => {
  try {
    return realpathSync(path)
  } catch (cause) {
    const code = errnoOf(cause)
    if (code !== "ENOENT" && code !== "ENOTDIR") throw cause
    const parent = dirname(path)
    if (parent === path) return path
    const realParent = realPathOf(parent, links)
    const here = join(realParent, basename(path))
    const target = linkTarget(here)
    if (target === null) return here
    if (links >= MAX_LINKS) throw Object.assign(new Error(`too many links: ${path}`), { code: "ELOOP" })
    return realPathOf(resolve(realParent, target), links + 1)
  }
}

const linkTarget = (path: string): string | null => {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
