/**
 * A profile as arguments of bubblewrap: an empty root, into which only what the profile names is bound. Pure.
 *
 * Paths are bound from outside to inside, what lies deeper later, so that a guarded file in a writable folder and a
 * readable tool chain in an empty home come out as meant. Arguments go through a file (`--args`), so that neither the
 * length of a command line nor the process list matters; bubblewrap takes 9,000 of them.
 */
import type { Binding as TableBinding } from "./mount-table.ts"
import type { Mount } from "./process/process-backend.ts"
import { type HiddenPath, isWithin, type SandboxProfile } from "./profile.ts"

export interface BwrapSetting {
  readonly profile: SandboxProfile
  /** An empty file without permissions, and an empty folder, that stand in for what is hidden. */
  readonly closedFile: string
  readonly closedFolder: string
  /** Ends with whoever started it. */
  readonly diesWithParent: boolean
  /** A program that does the rest from inside (`launcher/`), if need be with the right to mount; absent: none. */
  readonly launcher: { readonly path: string; readonly mayMount: boolean } | undefined
  /** On top of the profile. */
  readonly mounts?: ReadonlyArray<Mount>
  /** The socket of the proxy; absent: there is none inside. */
  readonly proxySocket: string | undefined
}

/** More hidden files than this are hidden from inside: bubblewrap takes time by the square of their number. */
export const MOST_BOUND_FILES = 120

/** Where the launcher is seen inside, and the empty file for those that are hidden from there. */
export const LAUNCHER_INSIDE = "/run/gemini-sandbox/launcher"
export const CLOSED_INSIDE = "/run/gemini-sandbox/closed"

/** After this word our own program hands the connections of a command on to our proxy (`system/http/command-bridge.ts`). */
export const BRIDGE_WORD = "__bridge"
/** Follows the socket where nobody signals to the whole group: the command gets the signals of the bridge. */
export const HANDS_ON = "--hand-on"

/** Where the socket of the proxy is seen inside. */
export const PROXY_INSIDE = "/run/gemini-sandbox/network"

export const bwrapArguments = ({ profile, ...setting }: BwrapSetting): ReadonlyArray<string> => [
  "--unshare-all",
  ...(profile.network ? ["--share-net"] : []),
  ...(setting.diesWithParent ? ["--die-with-parent"] : []),
  "--cap-drop",
  "ALL",
  ...(setting.launcher?.mayMount === true ? ["--cap-add", "CAP_SYS_ADMIN"] : []),
  ...profile.links.flatMap(({ path, target }) => ["--symlink", target, path]),
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  // The root of a machine owns these files, and needs no right beyond that to write them.
  ...profile.kernelSwitches.flatMap((path) => ["--ro-bind", path, path]),
  ...["/tmp", "/var/tmp", "/run"].flatMap((folder) => ["--tmpfs", folder]),
  ...(profile.home === undefined ? [] : ["--tmpfs", profile.home]),
  ...bound(profile).flatMap(([how, path]) => [how, path, path]),
  ...(setting.mounts ?? []).flatMap(({ from, mode, to }) => [mode === "rw" ? "--bind" : "--ro-bind", from, to]),
  ...hiddenByMount(profile.hidden).flatMap(({ kind, path }) => [
    "--ro-bind",
    kind === "file" ? setting.closedFile : setting.closedFolder,
    path
  ]),
  ...(setting.launcher === undefined
    ? []
    : ["--ro-bind", setting.launcher.path, LAUNCHER_INSIDE, "--ro-bind", setting.closedFile, CLOSED_INSIDE]),
  ...(setting.proxySocket === undefined ? [] : ["--ro-bind", setting.proxySocket, PROXY_INSIDE]),
  "--remount-ro",
  "/",
  "--chdir",
  profile.cwd
]

/** What is bound inside folders that commands can change, where somebody may have put a link in its place. */
export const swappableBindings = ({
  closedFile,
  closedFolder,
  profile
}: Pick<BwrapSetting, "closedFile" | "closedFolder" | "profile">): ReadonlyArray<TableBinding> => {
  const changed = profile.changeable
  const isInside = (path: string) => isWithin(changed, path) && !changed.includes(path)
  return [
    ...bound(profile)
      .filter(([, path]) => isInside(path))
      .map(([, path]) => ({ source: path, point: path })),
    ...hiddenByMount(profile.hidden)
      .filter(({ path }) => isInside(path))
      .map(({ kind, path }) => ({ source: kind === "file" ? closedFile : closedFolder, point: path }))
  ]
}

/** Those that are too many for bubblewrap; files only. */
export const hiddenFromInside = (hidden: ReadonlyArray<HiddenPath>): ReadonlyArray<string> => {
  const files = hidden.filter(({ kind }) => kind === "file")
  return files.length > MOST_BOUND_FILES ? files.map(({ path }) => path) : []
}

const hiddenByMount = (hidden: ReadonlyArray<HiddenPath>): ReadonlyArray<HiddenPath> =>
  hiddenFromInside(hidden).length > 0 ? hidden.filter(({ kind }) => kind === "folder") : hidden

type Binding = readonly [how: "--bind" | "--ro-bind", path: string]

const bound = ({ guarded, readable, writable }: SandboxProfile): ReadonlyArray<Binding> => {
  const open = [
    ...readable.filter((path) => !isWithin(writable, path)).map((path): Binding => ["--ro-bind", path]),
    ...writable.map((path): Binding => ["--bind", path])
  ].toSorted(([, one], [, other]) => depthOf(one) - depthOf(other))
  return [...open, ...guarded.map((path): Binding => ["--ro-bind", path])]
}

const depthOf = (path: string): number => path.split("/").length
