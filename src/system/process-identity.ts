/** Whether the process that left a note is still the one that runs under its number. Pids are reused, pairs of pid and start are not. */
import { readFileSync } from "node:fs"
import { Predicate } from "effect"

export interface ProcessIdentity {
  readonly pid: number
  /** In the system's own count; absent where it cannot be told. */
  readonly started?: string | undefined
}

export const isRunning = ({ pid, started }: ProcessIdentity): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (Predicate.hasProperty(error, "code") && error.code === "ESRCH") return false
  }
  return started === undefined || (startOf(pid) ?? started) === started
}

/** Linux only; elsewhere the pid alone must do. */
export const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}
