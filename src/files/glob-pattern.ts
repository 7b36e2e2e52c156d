/** Matching paths against the globs that models write: relative to a folder, `*` within a name, `**` across folders. */
import { existsSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { isInside } from "./containment.ts"

export interface GlobOptions {
  /** The folder that the pattern starts from. */
  readonly base: string
  readonly isCaseSensitive: boolean
}

/** The test takes a path relative to the base, with `/`. */
export const pathGlob = (
  pattern: string,
  { base, isCaseSensitive }: GlobOptions
): ((relativePath: string) => boolean) => {
  const text = relativePattern(pattern, base)
  // A pattern that is the name of something means that thing, whatever special characters it has.
  if (existsSync(join(base, text))) return (path) => path === text
  const fold = (value: string) => (isCaseSensitive ? value : value.toLowerCase())
  const glob = new Bun.Glob(fold(text.startsWith("!") ? `\\${text}` : text))
  return (path) => glob.match(fold(path))
}

/** Letters, digits and wildcards, and alternatives of them: what every glob dialect reads alike. */
const PLAIN_NAME = /^(?:[\w.?-]|\*(?!\*)|\{[\w.-]+(?:,[\w.-]+)*\})+$/

/**
 * What the name of a matching file looks like, in any case, as a glob for ripgrep. `undefined` where every name may match,
 * or where dialects differ.
 */
export const nameGlob = (pattern: string): string | undefined => {
  const name = pattern.slice(pattern.lastIndexOf("/") + 1)
  if (!PLAIN_NAME.test(name) || !/[\w.-]/.test(name)) return undefined
  return name.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
}

/** Absolute patterns are taken as relative to the base where they lie in it. */
const relativePattern = (pattern: string, base: string): string => {
  const text = pattern.replace(/^(\.\/+)+/, "")
  if (!isAbsolute(text)) return text
  const plain = text.split(/[*?[{]/)[0] ?? ""
  return isInside(base, plain.replace(/\/$/, "")) ? relative(base, text) : text
}
