/**
 * The repository that git finds from a folder, as git looks for it, and what its own configuration would make git do. The
 * user's configuration is not looked at: what stands there is their will.
 *
 * A bare repository that is found because the working folder lies in it may have come with somebody's files, and so may
 * a `.git` that leads to another place; no one means those.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { isInside } from "../../files/containment.ts"
import { kernelPath } from "../../files/real-path.ts"
import { type AttributePlaces, namedDoubt, shownDoubt, type TrackedNames } from "./git-closed.ts"
import { type ConfigEntry, readGitConfig } from "./git-config.ts"
import { holdsCredentials, isHarmlessSetting, namesFile } from "./git-config-keys.ts"
import { closedInIndex, foldersInIndex, leadsElsewhere, linksInIndex } from "./git-index.ts"
import type { GitFolder } from "./program-table.ts"

type Variables = Readonly<Record<string, string>>

const MAX_CONFIG_BYTES = 1_000_000
const MAX_INDEX_BYTES = 500_000_000
const MAX_INCLUDES = 16
const MAX_LINKS = 200
const MAX_NESTING = 5

/** `shadowed`: names of sub-commands, which an alias may take from a git that does not know them. */
export const gitFolder = (folder: string, variables: Variables, shadowed: ReadonlySet<string>): GitFolder => {
  const start = kernelPath("/", folder)
  if (start === undefined) return meantByNobody("the working folder cannot be resolved")
  const found = repositoryFrom(start)
  if (found === undefined) {
    const set = PLACES.find((name) => variables[name] !== undefined)
    return set === undefined ? { isFound: false } : meantByNobody(decidedBy(set))
  }
  if (typeof found === "string") return meantByNobody(found)
  const elsewhere = elsewhereBy(variables, start, found)
  if (elsewhere !== undefined) return meantByNobody(elsewhere)
  const settings = settingsOf(found)
  if (typeof settings === "string") return { isFound: true, readingDoubt: settings }
  const doubt = configDoubt(found, settings, shadowed) ?? nestedDoubt(found, settings, shadowed, 0)
  return {
    isFound: true,
    ...(doubt === undefined ? {} : { readingDoubt: doubt }),
    searchDoubt: () => indexDoubt(found, settings),
    contentDoubt: (isPassedOver) =>
      trackedDoubt(found, settings, (tracked) => shownDoubt(tracked, isPassedOver, attributePlaces(found))),
    namesClosed: (ids) => trackedDoubt(found, settings, (tracked) => namedDoubt(tracked, ids)),
    ...(settings.some(({ setting }) => holdsCredentials(setting)) ? { holdsCredentials: true as const } : {})
  }
}

const meantByNobody = (why: string): GitFolder => ({ isFound: true, readingDoubt: why, actingDoubt: why })

const decidedBy = (variable: string): string => `the variable \`${variable}\` decides which repository git uses`

interface Repository {
  /** Where its `.git` stands. */
  readonly top: string
  readonly gitDir: string
  /** That of the main work tree, where this is another one; otherwise the same. */
  readonly commonDir: string
}

const repositoryFrom = (start: string): Repository | string | undefined => {
  const device = deviceOf(start)
  for (let folder = start; ; folder = dirname(folder)) {
    // As git: not beyond the file system that it started in.
    if (deviceOf(folder) !== device) return undefined
    const found = repositoryAt(folder)
    if (found !== undefined) return found
    if (folder === "/") return undefined
  }
}

const repositoryAt = (folder: string): Repository | string | undefined => {
  const path = join(folder, ".git")
  const kind = kindOf(path)
  if (kind === "folder") {
    const real = kernelPath("/", path)
    if (real !== path) return `\`${path}\` leads elsewhere`
    if (!isGitFolder(path)) return `\`${path}\` is no repository`
    // Only a work tree of its own, whose `.git` is a file, keeps the greater part in another place.
    if (kindOf(join(path, "commondir")) !== "nothing") return `\`${path}\` leads elsewhere`
    return leadsElsewhere(path) ?? { top: folder, gitDir: path, commonDir: path }
  }
  if (kind === "file") return linkedRepository(folder, path)
  if (kind !== "nothing") return `\`${path}\` is neither a file nor a folder`
  const isBare =
    kindOf(join(folder, "HEAD")) !== "nothing" &&
    ["objects", "commondir"].some((name) => kindOf(join(folder, name)) !== "nothing")
  return isBare ? `\`${folder}\` is itself a repository, whose configuration git would follow` : undefined
}

/** Work trees and submodules: the other place has to name this one as well. */
const linkedRepository = (top: string, file: string): Repository | string => {
  const strange = `\`${file}\` leads to a repository that does not belong to this folder`
  const target = /^gitdir: ([^\n\r]+)\r?\n?$/.exec(textOf(file) ?? "")?.[1]
  const gitDir = target === undefined ? undefined : kernelPath(top, target)
  if (gitDir === undefined || !isGitFolder(gitDir)) return strange
  const common = textOf(join(gitDir, "commondir"))
  if (common !== undefined) {
    const commonDir = kernelPath(gitDir, common.trim())
    const back = textOf(join(gitDir, "gitdir"))?.trim()
    const isOurs = back !== undefined && kernelPath(gitDir, back) === kernelPath("/", file)
    if (commonDir === undefined || !isOurs) return strange
    return leadsElsewhere(gitDir) ?? leadsElsewhere(commonDir) ?? { top, gitDir, commonDir }
  }
  const config = readGitConfig(textOf(join(gitDir, "config")) ?? "")
  const back = config?.findLast(({ key }) => key === "core.worktree")?.value
  if (back === undefined || kernelPath(gitDir, back) !== top) return strange
  return leadsElsewhere(gitDir) ?? { top, gitDir, commonDir: gitDir }
}

const isGitFolder = (path: string): boolean => {
  const head = join(path, "HEAD")
  const isLink = linkOf(head)?.startsWith("refs/") === true
  if (!isLink && !/^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(textOf(head) ?? "")) return false
  const common = textOf(join(path, "commondir"))
  const base = common === undefined ? path : kernelPath(path, common.trim())
  return base !== undefined && kindOf(join(base, "objects")) === "folder" && kindOf(join(base, "refs")) === "folder"
}

/** Variables that name another repository, work tree or index than the folder does. */
const PLACES = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"]
const FOREIGN = [
  ...["GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE", "GIT_CEILING_DIRECTORIES", "GIT_CONFIG"],
  ...["GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_GRAFT_FILE", "GIT_NAMESPACE", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE"]
]

/** A hook of git is started with some of them, which then say what is found anyway. */
const elsewhereBy = (
  variables: Variables,
  start: string,
  { commonDir, gitDir, top }: Repository
): string | undefined => {
  const expected: Readonly<Record<string, string>> = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: top,
    GIT_COMMON_DIR: commonDir,
    GIT_OBJECT_DIRECTORY: join(commonDir, "objects")
  }
  const name = PLACES.find((place) => {
    const value = variables[place]
    if (value === undefined) return false
    const path = kernelPath(start, value)
    return path === undefined || (place === "GIT_INDEX_FILE" ? dirname(path) !== gitDir : path !== expected[place])
  })
  const strange = name ?? FOREIGN.find((place) => variables[place] !== undefined)
  return strange === undefined ? undefined : decidedBy(strange)
}

interface FoundSetting {
  readonly setting: ConfigEntry
  readonly file: string
}

const settingsOf = ({ commonDir, gitDir }: Repository): ReadonlyArray<FoundSetting> | string => {
  const found: Array<FoundSetting> = []
  const open = [
    ...new Set([join(commonDir, "config"), join(commonDir, "config.worktree"), join(gitDir, "config.worktree")])
  ]
  const seen = new Set<string>()
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    if (seen.has(file) || kindOf(file) === "nothing") continue
    seen.add(file)
    const text = seen.size > MAX_INCLUDES ? undefined : textOf(file)
    const settings = text === undefined ? undefined : readGitConfig(text)
    if (settings === undefined) return `the configuration of git in \`${file}\` is not understood`
    for (const setting of settings) {
      if (!/^include(?:if)?$/.test(setting.section) || setting.name !== "path") {
        found.push({ setting, file })
        continue
      }
      // Whatever the condition: it may hold.
      const target =
        setting.value === undefined || /^[~%]/.test(setting.value)
          ? undefined
          : kernelPath(dirname(file), setting.value)
      if (target === undefined) return `\`${setting.key}\` in \`${file}\` is not followed`
      open.push(target)
    }
  }
  return found
}

const configDoubt = (
  { gitDir, top }: Repository,
  settings: ReadonlyArray<FoundSetting>,
  shadowed: ReadonlySet<string>
): string | undefined => {
  const strange = settings.find(({ setting }) => {
    if (setting.key === "core.worktree") return setting.value === undefined || kernelPath(gitDir, setting.value) !== top
    if (namesFile(setting) && !staysIn(top, setting.value)) return true
    const isShadow = setting.section === "alias" && shadowed.has((setting.subsection ?? setting.name).toLowerCase())
    return isShadow || !isHarmlessSetting(setting)
  })
  return strange === undefined
    ? undefined
    : `\`${strange.setting.key}\` in \`${strange.file}\` may make git do more than read`
}

/** Git shows lines of such a file, so it may be one of the project only, links followed. */
const staysIn = (top: string, file: string | undefined): boolean => {
  const real = file === undefined ? undefined : kernelPath(top, file)
  return real !== undefined && isInside(top, real)
}

/** Git enters the repositories inside, and follows their configuration. */
const nestedDoubt = (
  repository: Repository,
  settings: ReadonlyArray<FoundSetting>,
  shadowed: ReadonlySet<string>,
  depth: number
): string | undefined => {
  const links = linksOf(repository, settings)
  if (links === undefined || links.length > MAX_LINKS || depth > MAX_NESTING)
    return `the index of \`${repository.top}\` is not understood`
  for (const link of links) {
    const folder = kernelPath(repository.top, link)
    const nested = folder === undefined ? undefined : repositoryAt(folder)
    if (folder === undefined) return `\`${link}\` cannot be resolved`
    if (typeof nested === "string") return nested
    if (nested === undefined) continue
    const inside = settingsOf(nested)
    if (typeof inside === "string") return inside
    const doubt = configDoubt(nested, inside, shadowed) ?? nestedDoubt(nested, inside, shadowed, depth + 1)
    if (doubt !== undefined) return doubt
  }
  return undefined
}

const linksOf = (repository: Repository, settings: ReadonlyArray<FoundSetting>): ReadonlyArray<string> | undefined => {
  const links: Array<string> = []
  for (const found of indexesOf(repository, settings, linksInIndex)) {
    if (found === undefined) return undefined
    links.push(...found)
  }
  return links
}

/** What each part of the index says, read by `read`; `undefined` where it is not understood. */
const indexesOf = <A>(
  { gitDir }: Repository,
  settings: ReadonlyArray<FoundSetting>,
  read: (index: Buffer, idBytes: number) => A | undefined
): ReadonlyArray<A | undefined> => {
  const format = settings.findLast(({ setting }) => setting.key === "extensions.objectformat")?.setting.value
  return indexNames(gitDir).map((name) => {
    const index = bytesOf(join(gitDir, name), MAX_INDEX_BYTES)
    return index === undefined ? undefined : read(index, format === "sha256" ? 32 : 20)
  })
}

/** Git that searches opens what the index names, through links as well; an index that git made names nothing behind one. */
const indexDoubt = (repository: Repository, settings: ReadonlyArray<FoundSetting>): string | undefined => {
  for (const folders of indexesOf(repository, settings, foldersInIndex)) {
    if (folders === undefined) return `the index of \`${repository.top}\` is not understood`
    const stray = [...folders].find((folder) => {
      const path = join(repository.top, folder)
      return kernelPath(repository.top, folder) !== path || !isInside(repository.top, path)
    })
    if (stray !== undefined)
      return `the index of \`${repository.top}\` names files in \`${stray}\`, which leads elsewhere`
  }
  return undefined
}

/** The first doubt about what the index names, part by part. */
const trackedDoubt = (
  repository: Repository,
  settings: ReadonlyArray<FoundSetting>,
  look: (tracked: TrackedNames) => string | undefined
): string | undefined => {
  for (const tracked of indexesOf(repository, settings, closedInIndex)) {
    const doubt = tracked === undefined ? `the index of \`${repository.top}\` is not understood` : look(tracked)
    if (doubt !== undefined) return doubt
  }
  return undefined
}

const attributePlaces = ({ commonDir, gitDir, top }: Repository): AttributePlaces => ({
  top,
  own: [gitDir, commonDir].map((folder) => join(folder, "info/attributes")),
  textOf: (file) => (kindOf(file) === "nothing" ? undefined : (textOf(file) ?? null))
})

/** A split index has its larger part in a file beside it. */
const indexNames = (gitDir: string): ReadonlyArray<string> => {
  try {
    return readdirSync(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."))
  } catch {
    return ["index"]
  }
}

const kindOf = (path: string): "file" | "folder" | "nothing" | "other" => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined) return linkOf(path) === undefined ? "nothing" : "other"
    return found.isDirectory() ? "folder" : found.isFile() ? "file" : "other"
  } catch {
    return linkOf(path) === undefined ? "nothing" : "other"
  }
}

const linkOf = (path: string): string | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

const deviceOf = (path: string): number | undefined => {
  try {
    return statSync(path).dev
  } catch {
    return undefined
  }
}

const bytesOf = (path: string, limit: number): Buffer | undefined => {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isFile() === true && found.size <= limit ? readFileSync(path) : undefined
  } catch {
    return undefined
  }
}

const textOf = (path: string): string | undefined => bytesOf(path, MAX_CONFIG_BYTES)?.toString("utf8")
