/**
 * Bubblewrap: namespaces of one's own for files, processes, network and names. The strongest wall that needs no rights.
 * Its arguments and its filter come in by descriptors, which a shell opens that then becomes it.
 */
import { existsSync, readFileSync } from "node:fs"
import { withVariables } from "../system/child-variables.ts"
import { BRIDGE_PORT } from "../system/http/command-bridge.ts"
import { type Backend, CUT_OFF, type Entry, type EntryProxy } from "./backend.ts"
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
import { CHECK_AND_RUN, expectedMounts, parseMounts } from "./mount-table.ts"
import type { SandboxProfile } from "./profile.ts"
import type { ConfinedProgram } from "./sandbox.ts"
import { commandFilter } from "./seccomp/command-filter.ts"

/** `program`: the path of `bwrap`. */
export const bwrap = (program: string): Backend => ({
  name: "bwrap",
  strength: "full",
  filtersDomains: true,
  gaps: (network) => [
    "a command can create .git or .gemini in a folder of the workspace that has none, or moves one aside that has one",
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
    const hide = hiddenFromInside(entry.profile.hidden)
    const isSimple = hide.length === 0 && entry.profile.ownDevices.length === 0
    return isSimple ? direct(program, entry, filter) : launched(program, entry, filter, hide)
  }
})

/** In front of the command, our own program hands its connections on to the proxy. */
const bridged = (entry: Entry): Entry => {
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

/** Opens the files, then becomes bubblewrap. */
const OPEN_AND_RUN = 'a=$1 f=$2; shift 2; exec "$@" 8<"$a" 9<"$f"'

const direct = (program: string, entry: Entry, filter: Uint8Array) =>
  started(entry, undefined, filter, [program, "--args", "8", "--seccomp", "9", "--", ...checked(entry)])

/**
 * Too many files to hide for bubblewrap, or devices that it cannot settle: it would close them as well. A launcher does
 * so, inside, and then gives up the right to. The filter would keep it from that, so it comes last.
 */
const launched = (
  program: string,
  entry: Entry,
  filter: Uint8Array<ArrayBuffer>,
  hide: ReadonlyArray<string>
): ConfinedProgram => {
  const argv = checked(entry)
  const content = launcherFor({
    architecture: process.arch,
    candidates: candidatesFor(argv[0] ?? "", entry.program.env?.PATH),
    hide,
    closedFile: CLOSED_INSIDE,
    settledDevices: entry.profile.ownDevices,
    landlock: undefined,
    filter,
    diesWithParent: false,
    isRoot: process.getuid?.() === 0
  })
  if (content === undefined) throw new Error(`there is no launcher for ${process.arch}`)
  const { canRun, path } = entry.files.program(content)
  const start = canRun ? [LAUNCHER_INSIDE] : [...entry.self, CONFINE_WORD, LAUNCHER_INSIDE]
  const own = canRun ? [] : entry.self.filter((part) => part.startsWith("/"))
  const within = { ...entry, profile: { ...entry.profile, readable: [...entry.profile.readable, ...own] } }
  return started(within, path, "", [program, "--args", "8", "--", ...start, ...argv])
}

/** In front of the command, where something is bound in a place that other commands could have changed meanwhile. */
const checked = (entry: Entry): ReadonlyArray<string> => {
  const { closedFile, closedFolder } = entry.files
  const bindings = swappableBindings({ profile: entry.profile, closedFile, closedFolder })
  const { argv } = entry.program
  if (bindings.length === 0) return argv
  const expected = expectedMounts(bindings, parseMounts(readFileSync("/proc/self/mountinfo", "utf8")))
  return expected.length === 0
    ? argv
    : ["/bin/sh", "-c", CHECK_AND_RUN, "sh", readerOf(entry.profile), `${expected.length}`, ...expected, ...argv]
}

/** Of the system, where no command can put another one; empty: none, and the shell reads by itself. */
const readerOf = ({ readable }: SandboxProfile): string =>
  (readable.includes("/usr") ? ["/usr/bin/cat", "/bin/cat"].find((path) => existsSync(path)) : undefined) ?? ""

const started = (
  { files, how, mounts = [], profile, program, proxy }: Entry,
  launcher: string | undefined,
  ninth: string | Uint8Array,
  argv: ReadonlyArray<string>
) => {
  const given = bwrapArguments({
    profile,
    mounts,
    closedFile: files.closedFile,
    closedFolder: files.closedFolder,
    diesWithParent: how.outlives !== true,
    launcher,
    proxySocket: proxy?.socket
  })
  const file = files.holding(`${given.join("\0")}\0`)
  return {
    argv: ["/bin/sh", "-c", OPEN_AND_RUN, "sh", file, files.holding(ninth), ...argv],
    cwd: program.cwd,
    env: withVariables(program.env, { ...CUT_OFF, TMPDIR: "/tmp", SANDBOX: "bwrap" }),
    numbersOwn: true
  }
}
