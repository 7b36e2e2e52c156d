/** What of this machine a profile is made from: which folders of the system, tool chains and secrets there are. */
import { accessSync, constants, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { lstatOrNone, statOrNone } from "../system/regular-file.ts"
import { gitFoldersOf } from "./git-folders.ts"
import { type HiddenPath, isWithin, type MachineFacts, type SystemLink, secretPlaces } from "./profile.ts"
import { SYSTEM_SECRETS } from "./secret-names.ts"
import type { WorkspaceScan } from "./workspace-scan.ts"

const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/opt",
  "/nix",
  "/gnu",
  "/snap",
  "/home/linuxbrew",
  "/run/systemd/resolve",
  "/run/current-system",
  "/var/lib/dpkg",
  "/var/lib/rpm"
]

/** Below the home folder. What is in them runs, or says how; secrets among them are hidden all the same. */
const TOOLCHAINS = [
  ".cargo",
  ".rustup",
  ".nvm",
  ".fnm",
  ".volta",
  ".bun",
  ".deno",
  ".node",
  ".npm-global",
  ".yarn",
  ".pyenv",
  ".rbenv",
  ".asdf",
  ".sdkman",
  ".jenv",
  ".goenv",
  ".opam",
  ".ghcup",
  ".dotnet",
  ".m2",
  ".gradle",
  ".nix-profile",
  ".local/bin",
  ".local/lib",
  ".local/share/mise",
  ".local/share/fnm",
  ".local/share/pnpm",
  ".local/share/uv",
  ".local/share/virtualenvs",
  "go",
  "bin",
  ".gitconfig",
  ".config/git",
  ".config/pip",
  ".config/mise"
]

/** Below `~/.cache`: programs fail where these cannot be written, and do without what was in them. */
const WRITTEN_CACHES = new Set([
  "go-build",
  "uv",
  "ccache",
  "sccache",
  "zig",
  "bazel",
  "mesa_shader_cache",
  "fontconfig"
])

export interface StandingFacts
  extends Pick<MachineFacts, "system" | "links" | "kernelSwitches" | "ownDevices" | "toolchains" | "secrets"> {}

/** Those that hold for the whole session. `path`: the variable `PATH`. */
export const standingFacts = (home: string | undefined, path: string): StandingFacts => {
  const links: ReadonlyArray<SystemLink> = SYSTEM.flatMap(linkAt)
  // Where a folder above is a link, it is there by both names.
  const system = SYSTEM.filter((folder) => isFolder(folder) && !links.some((link) => link.path === folder)).flatMap(
    (folder) => [folder, ...realOf(folder).filter((real) => real !== folder)]
  )
  const own = home === undefined ? [] : [...TOOLCHAINS.map((name) => join(home, name)), ...cachesOf(home)]
  const toolchains = own.flatMap(realOf)
  const fromPath = path
    .split(":")
    .filter((folder) => isAbsolute(folder) && folder !== "/" && folder !== home)
    .flatMap((folder) => [folder, ...besidePrograms(folder)])
    .flatMap(realOf)
    .filter((place) => !isWithin([...system, ...toolchains], place))
    .filter((place) => home === undefined || !home.startsWith(`${place}/`))
  const secrets = new Set([
    ...[...SYSTEM_SECRETS, ...hostKeys(), ...rootsOwn("/etc")].filter((path) => isOwnOr(constants.R_OK, path)),
    ...(home === undefined ? [] : secretPlaces(home))
  ])
  return {
    system,
    links,
    kernelSwitches: kernelSwitches(),
    ownDevices: ownDevices(),
    toolchains: [...new Set([...toolchains, ...fromPath])],
    secrets: [...secrets].flatMap(hiddenAt)
  }
}

/** What programs in such a folder are made of, by the custom of Unix; nothing else that lies there. */
const besidePrograms = (folder: string): ReadonlyArray<string> =>
  PROGRAM_FOLDER.test(folder) ? PROGRAM_PARTS.map((name) => join(folder, "..", name)) : []

const PROGRAM_FOLDER = /[^/]\/(?:bin|sbin|shims)\/?$/
const PROGRAM_PARTS = ["bin", "lib", "lib64", "libexec", "share", "include", "versions", "pyvenv.cfg"]

export const factsOf = (standing: StandingFacts, folders: ReadonlyArray<string>, scan: WorkspaceScan): MachineFacts => {
  const scans = folders.map((folder) => scan.of(folder))
  const places = scans.flatMap(({ repositories }) => repositories)
  const git = places.map(gitFoldersOf)
  return {
    ...standing,
    repositories: {
      places,
      data: git.flatMap(({ data }) => data).filter((path) => !isWithin(folders, path)),
      guarded: git.flatMap(({ guarded }) => guarded),
      absent: git.flatMap(({ absent }) => absent)
    },
    scan: {
      secrets: scans.flatMap(({ secrets }) => secrets),
      repositories: places,
      ownFolders: scans.flatMap(({ ownFolders }) => ownFolders)
    }
  }
}

/**
 * Every binding costs time before every command, so what the person could not do outside is not forbidden again. What is
 * one's own counts as well, because its permissions can be changed.
 */
const isOwnOr = (right: number, path: string): boolean => {
  if (lstatOrNone(path)?.uid === process.getuid?.()) return true
  try {
    accessSync(path, right)
    return true
  } catch {
    return false
  }
}

/** Folders of switches, and the single files of `/proc` that somebody may write; the rest belongs to processes. */
const kernelSwitches = (): ReadonlyArray<string> =>
  [
    ...["sys", "irq", "bus", "fs", "acpi", "scsi"].map((name) => join("/proc", name)).filter(isFolder),
    ...namesIn("/proc")
      .map((name) => join("/proc", name))
      .filter((path) => {
        const stat = lstatOrNone(path)
        return stat?.isFile() === true && (stat.mode & 0o222) !== 0
      })
  ].filter((path) => isOwnOr(constants.W_OK, path))

/** Of those that bubblewrap puts into a `/dev` of its own, where they are the machine's all the same. */
const ownDevices = (): ReadonlyArray<string> =>
  ["null", "zero", "full", "random", "urandom", "tty"]
    .map((name) => join("/dev", name))
    .filter((path) => lstatOrNone(path)?.uid === process.getuid?.())

const linkAt = (path: string): ReadonlyArray<SystemLink> => {
  try {
    return lstatSync(path).isSymbolicLink() ? [{ path, target: readlinkSync(path) }] : []
  } catch {
    return []
  }
}

const cachesOf = (home: string): ReadonlyArray<string> =>
  namesIn(join(home, ".cache"))
    .filter((name) => !WRITTEN_CACHES.has(name))
    .map((name) => join(home, ".cache", name))

/** The system's private keys, whatever their kind. */
const hostKeys = (): ReadonlyArray<string> =>
  namesIn("/etc/ssh")
    .filter((name) => name.endsWith("_key"))
    .map((name) => join("/etc/ssh", name))

/** What the system gives to root alone is a secret, whatever its name: root's commands could read it. */
const rootsOwn = (folder: string): ReadonlyArray<string> => {
  if (process.getuid?.() !== 0) return []
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink()) return []
    const isForAll = (stat.mode & (stat.isDirectory() ? 0o001 : 0o004)) !== 0
    if (!isForAll) return [path]
    return stat.isDirectory() ? rootsOwn(path) : []
  })
}

const hiddenAt = (path: string): ReadonlyArray<HiddenPath> => {
  const stat = statOrNone(path)
  if (stat === undefined) return []
  const real = realOf(path)
  return real.map((place) => ({ path: place, kind: stat.isDirectory() ? "folder" : "file" }))
}

const realOf = (path: string): ReadonlyArray<string> => {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}

const isFolder = (path: string): boolean => statOrNone(path)?.isDirectory() === true

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
