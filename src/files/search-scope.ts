/**
 * Where a search looks and what it passes over, and the same said in ripgrep's arguments. Both engines, ripgrep and the
 * in-process one, take this value, so that they find the same files.
 */
import { join, relative, sep } from "node:path"
import type { IgnoreRules } from "./ignore-rules.ts"
import type { WalkEntry } from "./walk.ts"

export interface SearchScope {
  /** The workspace folder; ripgrep runs here, since ignore files and globs are read relative to it. */
  readonly root: string
  /** The file or folder that is searched: the root, or below it. */
  readonly start: string
  /** `null`: no ignore rules at all. */
  readonly rules: IgnoreRules | null
  readonly respectGitIgnore: boolean
  /** Names of folders and files (`*.log`) that are passed over at any depth below `start`. */
  readonly excludes: ReadonlyArray<string>
  /** Names that begin with a dot: all are looked at, only files (not folders), or none. */
  readonly hidden: "all" | "files" | "none"
}

/** Whether an entry of a walk below `scope.start` is passed over. */
export const skipsIn = (scope: SearchScope): ((entry: WalkEntry) => boolean) => {
  const names = new Set(scope.excludes.filter((name) => !name.startsWith("*")))
  const endings = scope.excludes.filter((name) => name.startsWith("*")).map((name) => name.slice(1))
  return (entry) =>
    names.has(entry.name) ||
    endings.some((ending) => entry.name.endsWith(ending)) ||
    (entry.name.startsWith(".") && (scope.hidden === "none" || (scope.hidden === "files" && entry.isDirectory))) ||
    (scope.rules?.ignores(entry.path, entry.isDirectory) ?? false)
}

/**
 * Filters and the place to look, as arguments. Our own rules become globs, because those win over git's; a rule that
 * shows files again cannot be said so, and then all rules are left to `isKept`.
 */
export const scopeArguments = (scope: SearchScope, globs: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const place = slashed(relative(scope.root, scope.start))
  const anchor = place === "" ? "" : `/${place.replace(/[\\*?[\]{}!]/g, "\\$&")}/**/`
  const isPassedOn = scope.rules !== null && canPassOn(scope.rules)
  return [
    "--no-messages",
    "--no-ignore-global",
    "--no-ignore-dot",
    ...(isPassedOn && scope.respectGitIgnore ? [] : ["--no-ignore"]),
    ...(scope.hidden === "all" ? ["--hidden"] : []),
    ...globs.map((glob) => `--glob=${glob}`),
    ...(isPassedOn ? (scope.rules?.ownRules ?? []).map((rule) => `--glob=!${rule}`) : []),
    // One glob with alternatives: each further one is tried on every file.
    ...(scope.excludes.length > 0 ? [`--glob=!${anchor}{${scope.excludes.join(",")}}`] : []),
    "--",
    place === "" ? "." : place
  ]
}

/** More rules than this would not fit on a command line. */
const MAX_PASSED_RULES = 500

const canPassOn = ({ ownRules }: IgnoreRules): boolean =>
  ownRules.length <= MAX_PASSED_RULES && !ownRules.some((rule) => rule.startsWith("!"))

/** Whether a result of ripgrep stays, by our own reading of the rules. `hasGlobs`: a `--glob` shows hidden and ignored files that match it. */
export const isKept = (scope: SearchScope, options: { readonly hasGlobs: boolean }): ((path: string) => boolean) => {
  const { rules, start } = scope
  const isShown = (path: string): boolean => {
    if (scope.hidden === "all") return true
    const names = relative(start, path).split(sep)
    return !(scope.hidden === "files" ? names.slice(0, -1) : names).some((name) => name.startsWith("."))
  }
  if (options.hasGlobs) return (path) => isShown(path) && rules?.ignores(path, false) !== true
  return rules === null || canPassOn(rules) ? () => true : (path) => !rules.ignores(path, false)
}

/** Ripgrep prints paths relative to the folder it runs in. */
export const absoluteResult = (scope: SearchScope, printed: string): string => join(scope.root, printed)

const slashed = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"))
