/**
 * Paths as the policy sees them: resolved against the working folder, links followed, and compared with the workspace.
 * What cannot be resolved is never inside.
 */
import { isAbsolute, relative, resolve } from "node:path"
import { blockedSegment, isInside, type PathAccess } from "../files/containment.ts"
import { plainPath } from "../files/path-format.ts"
import type { DecisionContext, PolicyCall } from "./decision.ts"

const PATH_KEY = /path|directory|file|dir$/i
const OTHER_PATH_KEYS = new Set(["source", "destination", "cwd", "include"])

export const isPathKey = (key: string): boolean => PATH_KEY.test(key) || OTHER_PATH_KEYS.has(key)

export const expandHome = (path: string, home: string | undefined): string =>
  home !== undefined && (path === "~" || path.startsWith("~/")) ? home + path.slice(1) : path

/** Paths in the arguments of a call: by the names of the arguments; for shell commands every word that may be one. */
export const pathArguments = (call: PolicyCall, context: DecisionContext): ReadonlyArray<string> => {
  const named = collectPaths(call.args)
  const words = (context.shell?.commands ?? []).flatMap((command) =>
    (command.forms.at(-1)?.words ?? []).slice(1).map((word) => word.value.replace(/^-[^=]*=/, ""))
  )
  return [...named, ...words.filter((word) => word !== "" && !word.startsWith("-"))]
}

const MAX_DEPTH = 20

/** The call with its paths as the tools read them: `@a.txt` is the file `a.txt`. Foreign tools read theirs themselves. */
export const withPlainPaths = (call: PolicyCall, cwd: string): PolicyCall =>
  call.server === undefined ? { ...call, args: plainArguments(call.args, cwd, 0), given: call.args } : call

const plainArguments = (
  args: Readonly<Record<string, unknown>>,
  cwd: string,
  depth: number
): Readonly<Record<string, unknown>> => {
  const plain = (value: unknown, isPath: boolean): unknown => {
    if (typeof value === "string") return isPath ? asToolReadsIt(value, cwd) : value
    if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? plain(item, isPath) : item))
    return typeof value === "object" && value !== null && depth < MAX_DEPTH
      ? plainArguments({ ...value }, cwd, depth + 1)
      : value
  }
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, plain(value, isPathKey(key))]))
}

/** An address that is no path is left as it is: the tool will refuse it. */
const asToolReadsIt = (path: string, cwd: string): string => {
  try {
    return plainPath(path, cwd)
  } catch {
    return path
  }
}

const collectPaths = (args: Readonly<Record<string, unknown>>, depth = 0): ReadonlyArray<string> =>
  Object.entries(args).flatMap(([key, value]) => {
    if (typeof value === "string") return isPathKey(key) ? [value] : []
    if (Array.isArray(value)) {
      const strings = isPathKey(key) || key === "paths" ? value.filter((item) => typeof item === "string") : []
      return strings
    }
    if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return []
    return collectPaths({ ...value }, depth + 1)
  })

/** `~` is expanded; `*` stays within a segment, `**` crosses them. The path itself and its real path are both tried. */
export const matchesPathGlob = (glob: string, path: string, context: DecisionContext): boolean => {
  // One that begins with `**` is about every folder, not only those below the working folder.
  const place = glob.startsWith("**") ? `/${glob}` : resolve(context.cwd, expandHome(glob, context.home))
  const pattern = new RegExp(`^${globSource(place)}$`)
  const absolute = resolve(context.cwd, expandHome(path, context.home))
  const real = context.realPath(absolute)
  // What cannot be resolved might be anything, so the rule counts as meant.
  return real === undefined || pattern.test(absolute) || pattern.test(real)
}

/** The source of a regular expression. As everywhere, `**` between slashes also stands for no folder at all. */
export const globSource = (glob: string): string =>
  glob.replace(/(?<=^|\/)\*\*\/|\*\*|[*?]|[.+^${}()|[\]\\]/g, (found) => WILD[found] ?? `\\${found}`)

const WILD: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" }

/** A file tool's target that lies in the folder of plans, however the model wrote it. */
export const isPlanFileCall = (call: PolicyCall, context: DecisionContext): boolean => {
  // What will be written: there may be more in the call.
  const path = (call.used ?? call.args).file_path
  if (typeof path !== "string" || context.plansDir === undefined || !/\.md$/.test(path)) return false
  const plans = context.realPath(context.plansDir)
  const candidates = isAbsolute(path) ? [path] : [resolve(context.cwd, path), resolve(context.plansDir, path)]
  // The tool takes the first candidate that lies in the folder; links may not lead out of it.
  const chosen = candidates.find((candidate) => isInside(context.plansDir ?? "", resolve(candidate)))
  if (chosen === undefined || plans === undefined) return false
  const real = context.realPath(resolve(chosen))
  return real !== undefined && real !== plans && isInside(plans, real)
}

/** Inside a workspace folder, and not version control data, `.env` or credentials. */
export const isOpenInWorkspace = (
  absolute: string,
  access: PathAccess,
  context: Pick<DecisionContext, "realPath" | "workspaceDirs">
): boolean => {
  const real = context.realPath(absolute)
  return real !== undefined && isOpenReally(real, access, context)
}

/** The same for a path that is real already. */
export const isOpenReally = (
  real: string,
  access: PathAccess,
  { workspaceDirs }: Pick<DecisionContext, "workspaceDirs">
): boolean =>
  workspaceDirs.some((root) => isInside(root, real) && blockedSegment(relative(root, real), access) === null)

/** Inside a workspace folder, whatever it is. */
export const isInWorkspace = (absolute: string, context: DecisionContext): boolean => {
  const real = context.realPath(absolute)
  return real !== undefined && context.workspaceDirs.some((root) => isInside(root, real))
}
