/**
 * The real path of something that may not exist yet, as the kernel would find it: the nearest existing ancestor is
 * resolved and the rest appended. A dangling link is followed to where a write through it would land, which is what a
 * border check must look at.
 *
 * `..` is taken after the links before it were followed: `link/../x` lies beside what the link leads to. Whoever means
 * the text of the path removes `..` first.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import { errnoOf } from "./file-error.ts"

/** As the kernel: more links than this in one path are a loop. */
const MAX_LINKS = 40

/** Throws the system's error for a loop (`ELOOP`) or a folder that may not be searched (`EACCES`). */
export const realPathOf = (path: string, links = 0): string => {
  try {
    // The other form removes `..` from the text before it follows any link.
    return realpathSync.native(path)
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
    return realPathOf(isAbsolute(target) ? target : `${realParent}/${target}`, links + 1)
  }
}

/** `path` as somebody in `base` means it; `undefined`: it cannot be told where it leads. */
export const kernelPath = (base: string, path: string): string | undefined => {
  const whole = isAbsolute(path) ? path : `${base}/${path}`
  // The kernel does not go back from something that is not there; whoever makes it first can have it otherwise.
  for (const back of whole.matchAll(/\/\.\.(?=\/|$)/g)) {
    if (!existsSync(whole.slice(0, back.index) || "/")) return undefined
  }
  try {
    return realPathOf(whole)
  } catch {
    return undefined
  }
}

const linkTarget = (path: string): string | null => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null
  } catch {
    return null
  }
}
