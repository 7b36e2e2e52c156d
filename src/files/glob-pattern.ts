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

/** Absolute patterns are taken as relative to the base where they lie in it. */
const relativePattern = (pattern: string, base: string): string => {
  const text = pattern.replace(/^(\.\/+)+/, "")
  if (!isAbsolute(text)) return text
  const plain = text.split(/[*?[{]/)[0] ?? ""
  return isInside(base, plain.replace(/\/$/, "")) ? relative(base, text) : text
}
