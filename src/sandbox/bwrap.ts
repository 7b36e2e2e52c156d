/**
 * Bubblewrap: namespaces of one's own for files, processes, network and names. The strongest wall that needs no rights.
 * Its arguments and its filter come in by descriptors, which are opened in front of it.
 */
import { readFileSync } from "node:fs"
import { withVariables } from "../system/child-variables.ts"
import { BRIDGE_PORT } from "../system/http/command-bridge.ts"
import { CUT_OFF, type EntryProxy, type SandboxBackend, type SandboxEntry } from "./backend.ts"
import {
  BRIDGE_WORD,
  bwrapArguments,
  CLOSED_INSIDE,
  hiddenFromInside,
  LAUNCHER_INSIDE,
  PROXY_INSIDE,
  swappableBindings
} from "./bwrap-arguments.ts"
import { CONFINE_WORD, candidatesFor, launcherFor } from "./launcher/launcher-steps.ts"
import { openerFor } from "./launcher/outer-launchers.ts"
import { expectedMounts, parseMounts } from "./mount-table.ts"
import type { ConfinedProgram } from "./sandbox.ts"
import { commandFilter } from "./seccomp/command-filter.ts"

/** `program`: the path of `bwrap`. */
export const bwrap = (program: string): SandboxBackend => ({
  name: "bwrap",
  strength: "full",
  filtersDomains: true,
  gaps: (network) => [
    "a command can create .git or .gemini in a folder of the workspace that has none, or moves one aside that has one",
    "files of the project that other programs obey (hooks kept among them, Makefiles, tasks of editors) can be changed, as by any edit",
    "a command that works on a repository can leave a rebase there, whose steps would run when you continue it",
    ...(network === "on" ? ["with the network on, abstract sockets of other programs can be reached"] : []),
    ...(Array.isArray(network)
      ? ["an allowed host that also serves others, as large providers do, may be a way to these"]
      : [])
  ],
  enter: (given) => {
    const entry = bridged(given)
    const filter = commandFilter({
      architecture: process.arch,
      internet: true,
      unixSockets: true,
      fileModes: true,
      isAmongOthers: false
    })
    if (filter === undefined) throw new Error(`there is no filter of system calls for ${process.arch}`)
    return started(program, entry, filter, launcherOf(entry, filter))
  }
})

/** In front of the command, our own program hands its connections on to the proxy. */
const bridged = (entry: SandboxEntry): SandboxEntry => {
  const { profile, program, proxy, self } = entry
  if (proxy === undefined) return entry
  return {
    ...entry,
    profile: { ...profile, readable: [...profile.readable, ...self.filter((part) => part.startsWith("/"))] },
    program: {
      ...program,
      argv: [...self, BRIDGE_WORD, PROXY_INSIDE, ...program.argv],
      env: withVariables(program.env, proxyVariables(proxy))
    }
  }
}

const BRIDGE = `127.0.0.1:${BRIDGE_PORT}`

/** By which programs find it; there is no agreement on their case. Nothing in there is reached without it. */
const proxyVariables = ({ opensLocalhost }: EntryProxy): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, `http://${BRIDGE}`])
  ),
  ALL_PROXY: `socks5h://${BRIDGE}`,
  all_proxy: `socks5h://${BRIDGE}`,
  ...Object.fromEntries(
    ["NO_PROXY", "no_proxy"].map((name) => [name, `${opensLocalhost ? "" : "localhost,"}127.0.0.1`])
  ),
  NODE_USE_ENV_PROXY: "1"
})

interface InsideLauncher {
  readonly path: string
  /** In front of the command. */
  readonly start: ReadonlyArray<string>
  /** It closes more than bubblewrap can, and brings the filter itself. */
  readonly mayMount: boolean
}

/**
 * In front of the command, where something is left to be done inside. There may be too many files to hide for bubblewrap, or
 * devices that it cannot settle: it would close them as well. The filter would keep the launcher from that, so it comes
 * last. And where something is bound in a place that other commands could have changed meanwhile, it looks whether it is
 * what was meant.
 */
const launcherOf = (entry: SandboxEntry, filter: Uint8Array): InsideLauncher | undefined => {
  const { files, profile, program, self } = entry
  const hide = hiddenFromInside(profile.hidden)
  const mayMount = hide.length > 0 || profile.ownDevices.length > 0
  const table = readFileSync("/proc/self/mountinfo", "utf8")
  const mounts = mountsOf(entry, table)
  if (!mayMount && mounts.length === 0) return undefined
  const content = launcherFor({
    architecture: process.arch,
    candidates: candidatesFor(program.argv[0] ?? "", program.env.PATH),
    hide,
    closedFile: CLOSED_INSIDE,
    settledDevices: profile.ownDevices,
    mounts,
    longestTable: (Math.ceil(table.length / LONGEST_OF_OWN) + 1) * LONGEST_OF_OWN,
    landlock: undefined,
    filter: mayMount ? filter : undefined,
    diesWithParent: false,
    isRoot: process.getuid?.() === 0
  })
  if (content === undefined) throw new Error(`there is no launcher for ${process.arch}`)
  const { canRun, path } = files.program(content)
  return { path, mayMount, start: canRun ? [LAUNCHER_INSIDE] : [...self, CONFINE_WORD, LAUNCHER_INSIDE] }
}

/** Bytes of lines in the table of mounts for what bubblewrap binds; the table around it may be bound as well. */
const LONGEST_OF_OWN = 32 * 1024

const mountsOf = ({ files, profile }: SandboxEntry, table: string): ReadonlyArray<string> => {
  const bindings = swappableBindings({ profile, closedFile: files.closedFile, closedFolder: files.closedFolder })
  return bindings.length === 0 ? [] : expectedMounts(bindings, parseMounts(table))
}

const started = (
  bubblewrap: string,
  { files, how, mounts = [], profile, program, proxy }: SandboxEntry,
  filter: Uint8Array,
  launcher: InsideLauncher | undefined
): ConfinedProgram => {
  const start = launcher?.start ?? []
  const own = start.filter((part) => part.startsWith("/") && part !== LAUNCHER_INSIDE)
  const given = bwrapArguments({
    profile: { ...profile, readable: [...profile.readable, ...own] },
    mounts,
    closedFile: files.closedFile,
    closedFolder: files.closedFolder,
    diesWithParent: how.outlives !== true,
    launcher,
    proxySocket: proxy?.socket
  })
  const walls = files.holding(`${given.join("\0")}\0`)
  const argv =
    launcher?.mayMount === true
      ? [...opening([walls], bubblewrap, files), "--args", "3"]
      : [...opening([walls, files.holding(filter)], bubblewrap, files), "--args", "3", "--seccomp", "4"]
  return {
    argv: [...argv, "--", ...start, ...program.argv],
    cwd: program.cwd,
    env: withVariables(program.env, { ...CUT_OFF, TMPDIR: "/tmp", SANDBOX: "bwrap" }),
    numbersOwn: true
  }
}

/** In front of the arguments of bubblewrap: opens the files from descriptor 3 on, and becomes it. */
const opening = (
  opened: ReadonlyArray<string>,
  bubblewrap: string,
  files: SandboxEntry["files"]
): ReadonlyArray<string> => {
  const content = openerFor(opened, bubblewrap, process.arch)
  const opener = content === undefined ? undefined : files.program(content)
  if (opener?.canRun === true) return [opener.path, bubblewrap]
  const [one = "", other = "/dev/null"] = opened
  return ["/bin/sh", "-c", OPEN_AND_RUN, "sh", one, other, bubblewrap]
}

/** Where no private file can be started. */
const OPEN_AND_RUN = 'a=$1 f=$2; shift 2; exec "$@" 3<"$a" 4<"$f"'
