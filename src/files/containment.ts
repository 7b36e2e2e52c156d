/**
 * Which real paths may be read and written: a pure decision over the roots and a few named exceptions.
 *
 * `node_modules` may be read (type definitions live there) but not written; version control data, `.env` and CI
 * credentials are closed for both.
 */
import { relative, sep } from "node:path"

export type PathAccess = "read" | "write"

export interface Border {
  /** Real paths of the workspace folders. */
  readonly roots: ReadonlyArray<string>
  /** Real paths that may be read besides: skill folders, files a person named. */
  readonly readOnly: ReadonlyArray<string>
  /** Folder for this project's temporary files; readable and writable, but for its memory inbox. */
  readonly tempDir: string | undefined
  /** The one memory file outside the workspace that may be written. */
  readonly memoryFile: string | undefined
}

export type PathVerdict = "allowed" | "outside" | "blocked"

export const decideAccess = (border: Border, path: string, access: PathAccess): PathVerdict => {
  const holders = border.roots.filter((root) => isInside(root, path))
  if (holders.some((root) => blockedSegment(relative(root, path), access) === null)) return "allowed"
  if (border.tempDir !== undefined && isInside(border.tempDir, path))
    return /(^|[/\\])\.inbox([/\\]|$)/.test(relative(border.tempDir, path)) ? "blocked" : "allowed"
  if (border.memoryFile !== undefined && path === border.memoryFile) return "allowed"
  if (access === "read" && border.readOnly.some((allowed) => isInside(allowed, path))) return "allowed"
  return holders.length > 0 ? "blocked" : "outside"
}

/** `/work-evil` is not inside `/work`. */
export const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

const CLOSED = new Set([".git", ".env"])
const WRITE_CLOSED = new Set([".git", ".env", "node_modules"])

/** The first segment that closes the path; `null` when none does. Streams (`.git::$DATA`) and trailing dots are no way round. */
export const blockedSegment = (relativePath: string, access: PathAccess): string | null => {
  const closed = access === "write" ? WRITE_CLOSED : CLOSED
  for (const segment of relativePath.split(/[/\\]/)) {
    const name = (segment.split(":")[0] ?? "").replace(/[ .]+$/, "").toLowerCase()
    if (closed.has(name) || /^gha-creds-.*\.json$/.test(name)) return segment
  }
  return null
}
