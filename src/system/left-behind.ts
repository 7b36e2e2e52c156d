/**
 * Whether a program that has ended is sure to have left no process behind, told without looking at all processes of the
 * machine: whatever it started got a number after its own, so only those few have to be looked at. Where that cannot be
 * told (no Linux, too many numbers, a count that began anew) the answer is no, and the caller looks at all of them.
 */
import { existsSync, readFileSync } from "node:fs"
import { environmentOf, hasMark, rowOf } from "./process-table.ts"

/** More of them are not worth looking at one by one. */
const MAX_NUMBERS = 256
const ROUNDS = 5

/** `root`: the number of the program, which must have ended a moment after it began. */
export const leftNothing = (root: number, mark: string): boolean => {
  let seen = root
  for (let round = 0; round < ROUNDS; round += 1) {
    const latest = latestNumber()
    // Nobody started anything since the last look: what was not there then is not there now.
    if (latest === seen) return true
    if (latest === undefined || latest < seen || latest - root > MAX_NUMBERS) return false
    for (let pid = seen + 1; pid <= latest; pid += 1) {
      if (existsSync(`/proc/${pid}`) && mayCarry(pid, mark)) return false
    }
    seen = latest
  }
  return false
}

/** One that is just becoming another program shows nothing, and may be anything. */
const mayCarry = (pid: number, mark: string): boolean => {
  const environment = environmentOf(pid)
  return environment === "" ? rowOf(pid) !== undefined : hasMark(environment, mark)
}

/** The number that was given out last, at the end of `/proc/loadavg`. */
const latestNumber = (): number | undefined => {
  if (process.platform !== "linux") return undefined
  try {
    return Number(readFileSync("/proc/loadavg", "utf8").trimEnd().split(" ").at(-1))
  } catch {
    return undefined
  }
}
