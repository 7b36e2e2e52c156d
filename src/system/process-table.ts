/**
 * Which processes belong to a command: its session and group, the descendants that left them, and on Linux also those
 * that were handed to init, recognised by the mark that every child inherits in its environment.
 */
import { readdirSync, readFileSync } from "node:fs"
import { plainVariables } from "./child-variables.ts"

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Ticks since boot; tells a process from a later one with the same number. 0 where unknown. */
  readonly startedAt: number
}

/** The variable that marks the processes of one command. */
export const COMMAND_MARK = "GEMINI_CLI_COMMAND_ID"

/** Processes of the command whose shell is `root`. Zombies are left out: there is nothing left to end. */
export const membersOf = (root: number, mark: string): ReadonlyArray<ProcessRow> => {
  const rows = process.platform === "linux" ? readProc() : readPs()
  return selectMembers(rows, root, (row) => process.platform === "linux" && carriesMark(row.pid, mark))
}

/** Processes whose mark begins so, in whatever group they are. Linux only. */
export const markedProcesses = (prefix: string): ReadonlyArray<ProcessRow> =>
  readdirSync("/proc").flatMap((name) => {
    const pid = Number(name)
    const isMarked = Number.isInteger(pid) && `\0${environmentOf(pid) ?? ""}`.includes(`\0${COMMAND_MARK}=${prefix}`)
    return isMarked ? (rowOf(pid) ?? []) : []
  })

/** Pure part of `membersOf`. */
export const selectMembers = (
  rows: ReadonlyArray<ProcessRow>,
  root: number,
  isMarked: (row: ProcessRow) => boolean
): ReadonlyArray<ProcessRow> => {
  const found = new Map<number, ProcessRow>()
  for (const row of rows) {
    if (row.pid === root || row.group === root || row.session === root || isMarked(row)) found.set(row.pid, row)
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const row of rows) if (found.has(row.parent)) found.set(row.pid, row)
  }
  return [...found.values()]
}

/** Whether this very process (not a later one with its number) is still there. */
export const isAlive = (row: Pick<ProcessRow, "pid" | "startedAt">): boolean => {
  if (process.platform === "linux") {
    const now = rowOf(row.pid)
    return now !== undefined && (row.startedAt === 0 || now.startedAt === row.startedAt)
  }
  try {
    process.kill(row.pid, 0)
    return true
  } catch {
    return false
  }
}

/** The row of one process; `undefined` when it is gone or a zombie. Without `/proc`, its number is all that is known. */
export const rowOf = (pid: number): ProcessRow | undefined => {
  if (process.platform !== "linux") return { pid, parent: 0, group: 0, session: 0, startedAt: 0 }
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return undefined
  }
}

/** `/proc/<pid>/stat`. The second field is the program's name in parentheses and may itself contain `) `. */
export const parseStat = (pid: number, stat: string): ProcessRow | undefined => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group, session] = fields
  if (state === undefined || state === "Z" || state === "X") return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: Number(fields[19])
  }
}

export interface Ancestor {
  readonly pid: number
  readonly parent: number
  /** Of the program, without its folder. */
  readonly name: string
}

/** The parent first, then its parent; no further than `most`. Empty where the system does not say. */
export const ancestorsOf = (pid: number, most: number): ReadonlyArray<Ancestor> => {
  if (process.platform === "win32") return []
  const known = process.platform === "linux" ? undefined : namedByPs()
  const find = (wanted: number) => (known === undefined ? namedInProc(wanted) : known.get(wanted))
  const found: Array<Ancestor> = []
  let next = find(pid)?.parent
  while (next !== undefined && next > 0 && found.length < most) {
    const ancestor = find(next)
    if (ancestor === undefined) break
    found.push(ancestor)
    next = ancestor.parent
  }
  return found
}

const namedInProc = (pid: number): Ancestor | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const row = parseStat(pid, stat)
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"))
    return row === undefined ? undefined : { pid, parent: row.parent, name }
  } catch {
    return undefined
  }
}

const namedByPs = (): ReadonlyMap<number, Ancestor> => {
  const rows = psLines("pid=,ppid=,comm=").flatMap((line): ReadonlyArray<readonly [number, Ancestor]> => {
    const [, pid, parent, path = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    // A shell of a login is written with a dash before its name.
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/^-/, "")
    return pid === undefined ? [] : [[Number(pid), { pid: Number(pid), parent: Number(parent), name }]]
  })
  return new Map(rows)
}

const readProc = (): ReadonlyArray<ProcessRow> =>
  readdirSync("/proc").flatMap((name) => {
    const pid = Number(name)
    const row = Number.isInteger(pid) ? rowOf(pid) : undefined
    return row === undefined ? [] : [row]
  })

const readPs = (): ReadonlyArray<ProcessRow> =>
  psLines("pid=,ppid=,pgid=").flatMap((line) => {
    const [pid, parent, group] = line.trim().split(/\s+/).map(Number)
    return pid === undefined || parent === undefined || group === undefined || Number.isNaN(pid)
      ? []
      : [{ pid, parent, group, session: 0, startedAt: 0 }]
  })

const psLines = (columns: string): ReadonlyArray<string> =>
  Bun.spawnSync(["ps", "-A", "-o", columns], { env: plainVariables(), stdin: "ignore", stderr: "ignore" })
    .stdout.toString()
    .split("\n")

const carriesMark = (pid: number, mark: string): boolean => hasMark(environmentOf(pid), mark)

export const hasMark = (environment: string | undefined, mark: string): boolean =>
  `\0${environment ?? ""}`.includes(`\0${COMMAND_MARK}=${mark}\0`)

/** As it was when the program began; empty while one takes the place of another. `undefined`: gone, or somebody else's. */
export const environmentOf = (pid: number): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1")
  } catch {
    return undefined
  }
}
