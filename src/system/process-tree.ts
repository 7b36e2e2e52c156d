/**
 * Ends all processes of a command: SIGTERM to its group and to what left the group, SIGKILL to what is left after the
 * grace. Processes that were started meanwhile are found by looking again. Bounded: what cannot be ended (another
 * user's process, one that hangs in the kernel) is reported, not waited for.
 */
import { readFileSync } from "node:fs"
import { Duration, Effect } from "effect"
import { monotonicMillis } from "../kernel/monotonic-time.ts"
import { plainVariables } from "./child-variables.ts"
import { isAlive, markedProcesses, membersOf, type ProcessRow } from "./process-table.ts"

export interface TreeEnd {
  /** Processes that ignored SIGTERM and were killed. */
  readonly killed: ReadonlyArray<number>
  /** Processes that are still there. */
  readonly survivors: ReadonlyArray<number>
}

const POLL = Duration.millis(10)
const KILL_WAIT = Duration.seconds(1)
const ROUNDS = 3

export const endTree = Effect.fn("Shell.endTree")(function* (
  root: number,
  mark: string,
  grace: Duration.DurationInput
) {
  if (process.platform === "win32") return yield* endTreeWindows(root)
  const asked = membersOf(root, mark)
  signalAll(root, asked, "SIGTERM")
  yield* untilGone(asked, grace)
  const killed = new Set<number>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = membersOf(root, mark)
    if (left.length === 0) break
    signalAll(root, left, "SIGKILL")
    for (const row of left) killed.add(row.pid)
    yield* untilGone(left, KILL_WAIT)
  }
  const survivors = membersOf(root, mark).map((row) => row.pid)
  return { killed: [...killed].filter((pid) => !survivors.includes(pid)), survivors } satisfies TreeEnd
})

/** Those that a program of this name started, however deep below this process; not those that these started. */
export const signalBelow = (root: number, starter: string, signal: NodeJS.Signals): void => {
  for (const { parent, pid } of membersOf(root, "")) {
    if (nameOf(pid) !== starter && nameOf(parent) === starter) signalProcess(pid, signal)
  }
}

const nameOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim()
  } catch {
    return ""
  }
}

/** Processes whose mark begins so, wherever they went: of commands whose own groups have ended. */
export const endMarked = Effect.fn("Shell.endMarked")(function* (prefix: string, grace: Duration.DurationInput) {
  if (process.platform !== "linux") return
  const asked = markedProcesses(prefix)
  for (const { pid } of asked) signalProcess(pid, "SIGTERM")
  yield* untilGone(asked, grace)
  for (const { pid } of markedProcesses(prefix)) signalProcess(pid, "SIGKILL")
})

/** Whether a process of this group is left. Cheap: nothing is listed. */
export const hasGroup = (root: number): boolean => {
  try {
    process.kill(-root, 0)
    return true
  } catch {
    return false
  }
}

const signalAll = (root: number, rows: ReadonlyArray<ProcessRow>, signal: NodeJS.Signals): void => {
  if (rows.length === 0) return
  signalProcess(-root, signal)
  for (const row of rows) if (row.group !== root) signalProcess(row.pid, signal)
  // A stopped process sees SIGTERM only when it goes on.
  signalProcess(-root, "SIGCONT")
}

/** A negative number is a group. */
export const signalProcess = (target: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(target, signal)
  } catch {
    // Already gone, which is what was wanted; or not ours, which the survivors tell.
  }
}

/** Finalizers are uninterruptible; the wait has its own bound and is short. */
const untilGone = Effect.fnUntraced(function* (rows: ReadonlyArray<ProcessRow>, limit: Duration.DurationInput) {
  const deadline = (yield* monotonicMillis) + Duration.toMillis(limit)
  while (rows.some(isAlive) && (yield* monotonicMillis) < deadline) yield* Effect.sleep(POLL)
})

const endTreeWindows = (root: number) =>
  Effect.promise(
    () =>
      Bun.spawn(["taskkill", "/pid", String(root), "/f", "/t"], {
        env: plainVariables(),
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore"
      }).exited
  ).pipe(Effect.as<TreeEnd>({ killed: [root], survivors: [] }))
