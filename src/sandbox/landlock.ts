/**
 * Landlock and a filter of system calls: needs neither rights nor namespaces, so it works in containers and on build
 * machines. A launcher restricts itself and becomes the command. Weaker than namespaces; its gaps are named.
 */
import { readdirSync } from "node:fs"
import { withVariables } from "../system/child-variables.ts"
import { CUT_OFF, type SandboxBackend } from "./backend.ts"
import { handledRights, type LandlockEntry, landlockRules } from "./landlock-rules.ts"
import { CONFINE_WORD, candidatesFor, launcherFor } from "./launcher/launcher-steps.ts"
import { KEEPER, keeperFor } from "./launcher/outer-launchers.ts"
import { outermost } from "./profile.ts"
import { commandFilter } from "./seccomp/command-filter.ts"

const TCP = 0b11
const ABSTRACT_SOCKETS_AND_SIGNALS = 0b11

/** `version`: what the kernel answers. `mayMount`: walls of root are given mounts of their own. */
export const landlock = (version: number, mayMount: boolean): SandboxBackend => ({
  name: "landlock",
  strength: "partial",
  filtersDomains: false,
  gaps: (network) => [
    ...gapsOf(version, mayMount),
    ...(Array.isArray(network) ? ["the network is off: only bwrap can open it for tools.sandboxAllowedDomains"] : [])
  ],
  enter: ({ files, how, profile, program, self }) => {
    const filter = commandFilter({
      architecture: process.arch,
      internet: profile.network,
      unixSockets: false,
      fileModes: how.access === "write",
      isAmongOthers: true
    })
    if (filter === undefined) throw new Error(`there is no filter of system calls for ${process.arch}`)
    const within = { ...profile, writable: [...profile.writable, files.temp] }
    const launcher = launcherFor({
      architecture: process.arch,
      candidates: candidatesFor(program.argv[0] ?? "", program.env.PATH),
      hide: [],
      closedFile: files.closedFile,
      settledDevices: [],
      mounts: [],
      longestTable: 0,
      onlyWritable: mayMount
        ? { folders: outermost(within.writable), cwd: program.cwd, closedFile: files.closedFile }
        : undefined,
      landlock: {
        version,
        handled: handledRights(version),
        handledNetwork: version >= 4 && !profile.network ? TCP : 0,
        scoped: version >= 6 ? ABSTRACT_SOCKETS_AND_SIGNALS : 0,
        rules: landlockRules(within, entriesOf)
      },
      filter,
      diesWithParent: how.outlives !== true,
      isRoot: process.getuid?.() === 0
    })
    const keeper = keeperFor(process.arch)
    if (launcher === undefined || keeper === undefined) throw new Error(`there is no launcher for ${process.arch}`)
    const started = (content: Uint8Array): ReadonlyArray<string> => {
      const { canRun, path } = files.program(content)
      return canRun ? [path] : [...self, CONFINE_WORD, path]
    }
    return {
      argv: [...(how.outlives === true ? [] : [...started(keeper), ...KEEPER]), ...started(launcher), ...program.argv],
      cwd: program.cwd,
      env: withVariables(program.env, {
        ...CUT_OFF,
        TMPDIR: files.temp,
        XDG_CACHE_HOME: `${files.temp}/cache`,
        GOCACHE: `${files.temp}/go-build`,
        SANDBOX: "landlock"
      })
    }
  }
})

const gapsOf = (version: number, mayMount: boolean): ReadonlyArray<string> => [
  "a command can change .git/config, .git/hooks and .gemini of the workspace, and files that other programs obey, as by any edit",
  "secrets in the workspace can be overwritten, though not read; in their folders a new file can be read only by the next command",
  "names, sizes and times of all files can be seen",
  ...(mayMount
    ? []
    : [
        `modes and times of your own files can be changed${process.getuid?.() === 0 ? ", as root those of devices too" : ""}`
      ]),
  "command lines of all processes can be seen",
  "terminals cannot be opened by their names",
  "there are no unix sockets, no shared memory by name or number, and without network no loopback either",
  "priorities of your other processes can be changed",
  ...(version < 2 ? ["files cannot be moved between folders"] : []),
  ...(version < 3 ? ["files outside can be emptied"] : []),
  ...(version < 5 ? ["devices that your user may open can be controlled"] : []),
  ...(version < 6 ? ["signals reach your other processes"] : [])
]

const entriesOf = (folder: string): ReadonlyArray<LandlockEntry> => {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isLink: entry.isSymbolicLink()
    }))
  } catch {
    return []
  }
}
