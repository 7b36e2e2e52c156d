/**
 * Turns what a model calls a path into an absolute path, and refuses text that is not one.
 *
 * Models sometimes pass a line of test output, or keep the `@` of a mention. Plain paths are never percent-decoded, so
 * that a file really named `a%20b` stays reachable; only `file://` addresses are.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"

const MAX_PATH_LENGTH = 4096
const MAX_NAME_BYTES = 255
/** From this length on, quotes and dots read as prose, not as a file name. */
const PROSE_LENGTH = 20
const OUTPUT_PREFIXES = ["AssertionError:", "FAIL ", "✓ ", "× ", "TestingLibraryElementError:"]

/** Why this text cannot be a path; `null` when it can. */
export const pathFault = (path: string): string | null => {
  if (path.trim() === "") return "The path is empty."
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\n\r\t\u0000]/.test(path)) return "The path contains a line break, a tab or a NUL character."
  if (path.length > MAX_PATH_LENGTH) return `The path is longer than ${MAX_PATH_LENGTH} characters.`
  const names = path.split(/[/\\]/)
  if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES))
    return `A name in the path is longer than ${MAX_NAME_BYTES} bytes.`
  if (names.some((name) => OUTPUT_PREFIXES.some((prefix) => name.startsWith(prefix))))
    return "The path looks like a line of test output."
  if (path.length > PROSE_LENGTH && (path.includes('"') || path.includes("...")))
    return "The path contains a quote or an ellipsis."
  return null
}

/** Absolute, `..` removed, links not yet followed. Throws for a malformed `file://` address. */
export const absolutePath = (path: string, base: string): string => resolve(base, plainPath(path, base))

/** The path that is meant, as the rules of the policy must see it too. Throws for a malformed `file://` address. */
export const plainPath = (path: string, base: string): string =>
  path.startsWith("file://") ? Bun.fileURLToPath(path) : withoutMention(path, base)

/** Drops the `@` of a mention, unless something is really called that. */
const withoutMention = (path: string, base: string): string => {
  if (!path.startsWith("@") || existsSync(resolve(base, path))) return path
  const first = path.split(/[/\\]/)[0] ?? ""
  if (first === "@") return path.replace(/^@[/\\]+/, "")
  return existsSync(resolve(base, first)) ? path : path.slice(1)
}
