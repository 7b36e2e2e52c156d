/**
 * Which paths the ignore files hide: `.gitignore` of every folder and `.git/info/exclude` inside a repository, then the
 * project's `.geminiignore`, then custom files. Later rules win and may show again what earlier ones hid.
 *
 * Rules are read when a folder is first asked about and kept for the life of the matcher; a tool makes one for each
 * call, so an edited ignore file takes effect at once.
 */
import { existsSync, lstatSync, readFileSync, type Stats, statSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import ignore, { type Ignore } from "ignore"
import { strayLinkReason } from "./brought-file.ts"
import { isInside } from "./containment.ts"

export interface IgnoreOptions {
  /** The project: its `.geminiignore` counts, and relative custom files start here. */
  readonly root: string
  readonly respectGitIgnore: boolean
  readonly respectGeminiIgnore: boolean
  /** Strongest first. */
  readonly customFiles: ReadonlyArray<string>
  /** Folders whose own ignore files count; all of them where absent. Asked once, when a folder is first looked at. */
  readonly countsRulesOf?: (folder: string) => boolean
}

export interface IgnoreRules {
  /** `path` is absolute. A path below an ignored folder is ignored. */
  readonly ignores: (path: string, isDirectory: boolean) => boolean
  /** Rules of ours (not git's) as they stand in their files, weakest first; relative to the root. */
  readonly ownRules: ReadonlyArray<string>
}

/** An ignore file larger than this is not one. */
const MAX_RULES_BYTES = 1024 * 1024

/** Rules that hold for the entries of one folder. */
interface FolderRules {
  readonly isInRepository: boolean
  readonly git: ReadonlyArray<string>
  readonly matcher: Ignore
}

export const ignoreRules = (options: IgnoreOptions): IgnoreRules => {
  const base = options.respectGitIgnore ? (repositoryOf(options.root) ?? options.root) : options.root
  const ownRules = ownFilesOf(options).flatMap((file) => anchored(rulesIn(file, statSync), ""))
  const own = anchored(ownRules, slashed(relative(base, options.root)))
  const folders = new Map<string, FolderRules>()
  const hidden = new Map<string, boolean>()

  const rulesOf = (folder: string): FolderRules => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    const outer = folder === base ? NO_RULES : rulesOf(dirname(folder))
    const counts = options.countsRulesOf?.(folder) ?? true
    const rules = (options.respectGitIgnore && counts) || folder === base ? nestedRules(folder, outer) : outer
    folders.set(folder, rules)
    return rules
  }

  const nestedRules = (folder: string, outer: FolderRules): FolderRules => {
    const isRepository = options.respectGitIgnore && existsSync(join(folder, ".git"))
    const isInRepository = isRepository || outer.isInRepository
    const prefix = slashed(relative(base, folder))
    const added = [
      ...(isRepository ? anchored(readRules(join(folder, ".git/info/exclude")), prefix) : []),
      ...(isInRepository ? anchored(readRules(join(folder, ".gitignore")), prefix) : [])
    ]
    if (folder !== base && added.length === 0 && !isRepository) return outer
    // A repository inside another one starts afresh, as it does for git.
    const git = [...(isRepository ? [] : outer.git), ...added]
    return { isInRepository, git, matcher: ignore().add(git).add(own) }
  }

  const isHidden = (path: string, isDirectory: boolean): boolean => {
    const folder = dirname(path)
    if (folder !== base && isHiddenFolder(folder)) return true
    return rulesOf(folder).matcher.ignores(slashed(relative(base, path)) + (isDirectory ? "/" : ""))
  }

  const isHiddenFolder = (folder: string): boolean => {
    const known = hidden.get(folder)
    if (known !== undefined) return known
    const verdict = isHidden(folder, true)
    hidden.set(folder, verdict)
    return verdict
  }

  return {
    ignores: (path, isDirectory) =>
      path !== base && isInside(base, path) && (isDirectory ? isHiddenFolder(path) : isHidden(path, false)),
    ownRules
  }
}

const NO_RULES: FolderRules = { isInRepository: false, git: [], matcher: ignore() }

/** Links are followed, the project's own inside the project only. */
const ownFilesOf = ({ customFiles, respectGeminiIgnore, root }: IgnoreOptions): ReadonlyArray<string> =>
  [
    ...(respectGeminiIgnore && geminiIgnoreFault(root) === undefined ? [join(root, GEMINI_IGNORE)] : []),
    ...customFiles.map((file) => resolve(root, file)).reverse()
  ].filter(isRulesFile)

const GEMINI_IGNORE = ".geminiignore"

/** Why the project's own ignore file does not count; `undefined`: it does, if there is one. */
export const geminiIgnoreFault = (root: string): string | undefined => {
  const file = join(root, GEMINI_IGNORE)
  const stray = strayLinkReason(file, () => [root])
  return stray === undefined ? undefined : `${file} is not used: it ${stray}`
}

/** The nearest folder upwards that is a repository. */
const repositoryOf = (folder: string): string | undefined => {
  if (existsSync(join(folder, ".git"))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : repositoryOf(parent)
}

const isRulesFile = (file: string): boolean => {
  try {
    const stat = statSync(file)
    return stat.isFile() && stat.size <= MAX_RULES_BYTES
  } catch {
    return false
  }
}

/** Git does not follow a link in place of `.gitignore`. */
const readRules = (file: string): ReadonlyArray<string> => rulesIn(file, lstatSync)

/** A missing or unreadable file has no rules. */
const rulesIn = (file: string, look: (file: string) => Stats): ReadonlyArray<string> => {
  try {
    const stat = look(file)
    if (!stat.isFile() || stat.size > MAX_RULES_BYTES) return []
    return readFileSync(file, "utf8")
      .replace(/^\ufeff/, "")
      .split(/\r?\n/)
  } catch {
    return []
  }
}

/** The same rules, seen from the base: bound to the folder (relative to the base, `""` for the base itself) they stand in. */
const anchored = (lines: ReadonlyArray<string>, folder: string): ReadonlyArray<string> =>
  lines.flatMap((line) => {
    if (line.trim() === "" || line.startsWith("#")) return []
    if (folder === "") return [line]
    const isNegated = line.startsWith("!")
    const rule = isNegated ? line.slice(1) : line
    const isBound = rule.trimEnd().replace(/\/$/, "").includes("/")
    const place = `/${folder.replace(/[\\*?[\]!# ]/g, "\\$&")}/${isBound ? "" : "**/"}`
    return [`${isNegated ? "!" : ""}${place}${rule.replace(/^\//, "")}`]
  })

const slashed = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"))
