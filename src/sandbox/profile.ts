/**
 * What a confined command can reach: one value for all back ends, from which each makes its own arguments. Pure; the
 * facts about the machine come from `machine-facts.ts`.
 *
 * The machine is closed but for the system's folders, tool chains and the workspace. Inside the workspace secrets are
 * hidden by name, and what acts on the person later (hooks, git's and our configuration) can only be read.
 */
import { SECRET_PLACES } from "./secret-names.ts"
import type { ScanResult } from "./workspace-scan.ts"

export interface SandboxProfile {
  readonly cwd: string
  /** Read and run. Links of the system (`/bin`) are kept as links. */
  readonly readable: ReadonlyArray<string>
  readonly links: ReadonlyArray<SystemLink>
  /** Files and folders in `/proc` that change the machine. */
  readonly kernelSwitches: ReadonlyArray<string>
  /** Devices of the machine that belong to the person: its root. Who owns a file may change its permissions. */
  readonly ownDevices: ReadonlyArray<string>
  readonly writable: ReadonlyArray<string>
  /** Folders that this command or another one of ours can change while this one starts. */
  readonly changeable: ReadonlyArray<string>
  /** Inside what is writable, to be read only. */
  readonly guarded: ReadonlyArray<string>
  /** In repositories that are changed: must not have come into being when the command has ended. */
  readonly absent: ReadonlyArray<string>
  /** Not even to be read. */
  readonly hidden: ReadonlyArray<HiddenPath>
  /** The person's home, empty but for what is readable in it. */
  readonly home: string | undefined
  readonly network: boolean
}

export interface SystemLink {
  readonly path: string
  readonly target: string
}

export interface HiddenPath {
  readonly path: string
  readonly kind: "file" | "folder"
}

export interface ProfileInput {
  readonly cwd: string
  /** Real paths of the workspace's folders. */
  readonly roots: ReadonlyArray<string>
  /** Real paths that commands may use besides. */
  readonly allowedPaths: ReadonlyArray<string>
  readonly network: boolean
  /** Whether the workspace may be changed. */
  readonly access: "read" | "write"
  /** Whether the command works on the repository itself: commits, branches, tags. */
  readonly usesGit: boolean
  /** Real paths that this one program needs: its own file, a folder for its results. */
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  readonly home: string | undefined
  readonly facts: MachineFacts
}

export interface MachineFacts {
  /** Existing folders of the system. */
  readonly system: ReadonlyArray<string>
  readonly links: ReadonlyArray<SystemLink>
  readonly kernelSwitches: ReadonlyArray<string>
  readonly ownDevices: ReadonlyArray<string>
  /** Existing tool chains and configuration below the home folder, real paths. */
  readonly toolchains: ReadonlyArray<string>
  /** Existing secrets of the system and of the home folder. */
  readonly secrets: ReadonlyArray<HiddenPath>
  readonly repositories: {
    readonly data: ReadonlyArray<string>
    readonly guarded: ReadonlyArray<string>
    readonly absent: ReadonlyArray<string>
    /** The `.git` of each. */
    readonly places: ReadonlyArray<string>
  }
  readonly scan: ScanResult
}

export const profileOf = (input: ProfileInput): SandboxProfile => {
  const { access, facts, home, roots } = input
  const mayWrite = access === "write"
  const folders = outermost([...roots, ...input.allowedPaths])
  const data = facts.repositories.data
  const changesGit = mayWrite && input.usesGit
  // A repository that is bound by itself cannot be moved aside and another one put in its place.
  const repositories = changesGit ? [...data, ...facts.repositories.places] : []
  const writable = [...(mayWrite ? [...folders, ...repositories] : []), ...input.writes]
  const readable = [
    ...facts.system,
    ...facts.toolchains.filter((path) => !isWithin(folders, path)),
    ...(mayWrite ? [] : folders),
    ...(changesGit ? [] : data),
    ...input.reads
  ]
  // Where a repository as a whole stays as it is, only what it includes from beside it is left to guard.
  const unchanged = changesGit ? [] : [...facts.repositories.places, ...data]
  const ofRepositories = (paths: ReadonlyArray<string>) => paths.filter((path) => !isWithin(unchanged, path))
  return {
    cwd: input.cwd,
    readable: unique(readable),
    links: facts.links,
    kernelSwitches: facts.kernelSwitches,
    ownDevices: facts.ownDevices,
    writable: unique(writable),
    changeable: unique([...folders, ...data, ...input.writes]),
    guarded: unique([
      ...(changesGit ? [] : facts.repositories.places),
      ...ofRepositories(facts.repositories.guarded),
      ...facts.scan.ownFolders,
      ...startFiles(input)
    ]).filter((path) => isWithin(writable, path)),
    absent: ofRepositories(facts.repositories.absent).filter((path) => isWithin(writable, path)),
    hidden: hiddenIn(input, unique([...readable, ...writable])),
    home,
    network: input.network
  }
}

/** What shells and desktops run when the person comes back, where the home folder itself is the workspace. */
const START_FILES = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".gitconfig",
  ".config",
  ".local",
  ".pam_environment",
  ".xprofile",
  ".xsessionrc",
  ".vimrc",
  ".tmux.conf"
]

const startFiles = ({ facts, home, roots }: ProfileInput): ReadonlyArray<string> => {
  if (home === undefined || !isWithin(roots, home)) return []
  const existing = new Set(facts.toolchains)
  return [...START_FILES.map((name) => `${home}/${name}`).filter((path) => existing.has(path)), ...facts.toolchains]
}

const hiddenIn = ({ facts }: ProfileInput, seen: ReadonlyArray<string>): ReadonlyArray<HiddenPath> => {
  const folders = facts.secrets.filter(({ path }) => isWithin(seen, path))
  const files = facts.scan.secrets
    .filter(
      (path) =>
        !isWithin(
          folders.map((secret) => secret.path),
          path
        )
    )
    .map((path) => ({ path, kind: "file" as const }))
  return [...folders, ...files]
}

/** A folder inside another one of the list adds nothing. */
export const outermost = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = unique(paths)
  return all.filter((path) => !all.some((other) => other !== path && isBelow(other, path)))
}

const isBelow = (folder: string, path: string): boolean => path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

export const isWithin = (folders: ReadonlyArray<string>, path: string): boolean =>
  folders.some((folder) => folder === path || isBelow(folder, path))

const unique = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(paths)]

/** Secret places below a home folder, whether they exist or not. */
export const secretPlaces = (home: string): ReadonlyArray<string> => SECRET_PLACES.map((name) => `${home}/${name}`)
