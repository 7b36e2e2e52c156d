/**
 * Bubblewrap: namespaces of one's own for files, processes, network and names. The strongest wall that needs no rights.
 * Its arguments and its filter come in by descriptors, which a shell opens that then becomes it.
 */
import { withVariables } from "../system/child-variables.ts"
import { type Backend, CUT_OFF, type Entry } from "./backend.ts"
import { bwrapArguments, CLOSED_INSIDE, hiddenFromInside } from "./bwrap-arguments.ts"
import { CONFINE_WORD, type ConfinementPlan } from "./confinement-plan.ts"
import { commandFilter } from "./seccomp/command-filter.ts"

/** `program`: the path of `bwrap`. */
export const bwrap = (program: string): Backend => ({
  name: "bwrap",
  strength: "full",
  gaps: (network) => [
    "a command can create .git or .gemini in a folder of the workspace that has none",
    ...(network ? ["with the network on, abstract sockets of other programs can be reached"] : [])
  ],
  enter: (entry) => {
    const filter = commandFilter({ architecture: process.arch, internet: true, unixSockets: true, fileModes: true })
    if (filter === undefined) throw new Error(`there is no filter of system calls for ${process.arch}`)
    const hide = hiddenFromInside(entry.profile.hidden)
    return hide.length === 0 ? direct(program, entry, filter) : fromInside(program, entry, filter, hide)
  }
})

/** Opens the files, then becomes bubblewrap. */
const OPEN_AND_RUN = 'a=$1 f=$2; shift 2; exec "$@" 8<"$a" 9<"$f"'

const direct = (program: string, entry: Entry, filter: Uint8Array) =>
  started(entry, filter, [program, "--args", "8", "--seccomp", "9", "--", ...entry.program.argv], false)

/**
 * Too many files to hide for bubblewrap: our own program hides them, inside, and then gives up the right to. The filter
 * would keep it from that, so it comes last.
 */
const fromInside = (program: string, entry: Entry, filter: Uint8Array<ArrayBuffer>, hide: ReadonlyArray<string>) => {
  const plan: ConfinementPlan = {
    hide,
    closedFile: CLOSED_INSIDE,
    landlock: null,
    filter: filter.toBase64(),
    diesWithParent: false
  }
  const reads = [...entry.profile.readable, ...entry.self.filter((part) => part.startsWith("/"))]
  const within = { ...entry, profile: { ...entry.profile, readable: reads } }
  const inner = [...entry.self, CONFINE_WORD, "/dev/fd/9", ...entry.program.argv]
  return started(within, JSON.stringify(plan), [program, "--args", "8", "--", ...inner], true)
}

const started = (
  { files, how, profile, program }: Entry,
  ninth: string | Uint8Array,
  argv: ReadonlyArray<string>,
  keepsMountRight: boolean
) => {
  const given = bwrapArguments({
    profile,
    closedFile: files.closedFile,
    closedFolder: files.closedFolder,
    diesWithParent: how.outlives !== true,
    keepsMountRight
  })
  const file = files.holding(`${given.join("\0")}\0`)
  return {
    argv: ["/bin/sh", "-c", OPEN_AND_RUN, "sh", file, files.holding(ninth), ...argv],
    cwd: program.cwd,
    env: withVariables(program.env, { ...CUT_OFF, TMPDIR: "/tmp", SANDBOX: "bwrap" }),
    numbersOwn: true
  }
}
