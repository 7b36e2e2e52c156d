/** What shell calls cost: the first one, which loads the grammar, and one that prints without end. */
import { existsSync, readFileSync } from "node:fs"
import { CAT, FIRST_SHELL_CALL, FLOOD, FLOOD_GROWTH, GROWTH_LIMIT, LATER_SHELL_CALL } from "./bench-rows.ts"
import { type Subject, shellTurn, type Turn, timesOf } from "./bench-tools-run.ts"
import { type Measured, median, timed } from "./measure.ts"

const SHELL_RUNS = 3

/** Commands differ, since the analysis of a known one is remembered. A first call of another tool loads what all share. */
export const measureFirstShellCall = async (subject: Subject): Promise<Measured> => {
  const first: Array<number> = []
  const later: Array<number> = []
  const warmUp: Turn = { calls: [{ functionCall: { name: "list_directory", args: { dir_path: "." } } }] }
  for (let run = 0; run < SHELL_RUNS; run++) {
    const commands = ["true", "true 1", "true 2", "true 3"].map(shellTurn)
    const [, opening, ...rest] = await timesOf(subject, [warmUp, ...commands])
    if (opening !== undefined) first.push(opening)
    later.push(...rest)
  }
  return new Map([
    [FIRST_SHELL_CALL, timed(median(first))],
    [LATER_SHELL_CALL, timed(median(later))]
  ])
}

const FLOOD_BYTES = 2_000_000_000
const GROWTH_LIMIT_MIB = 64

/**
 * Memory is the peak of the process itself, read before and after the call: commands that it starts have their own.
 * `cat` swallows the same flood before: no program waits for a model as long as it takes.
 */
export const measureFlood = async (
  subject: Subject,
  bytes = FLOOD_BYTES,
  [flood, bare, growth] = [FLOOD, CAT, FLOOD_GROWTH]
): Promise<Measured> => {
  const command = `yes 'a line of text with an é' | head -c ${bytes}`
  const peaks: Array<number> = []
  const peak = async (pid: number) => peaks.push(peakMib(pid))
  const start = Bun.nanoseconds()
  await Bun.spawn(["bash", "-c", `${command} | cat >/dev/null`]).exited
  const cat = (Bun.nanoseconds() - start) / 1e6
  const times = await timesOf(subject, [
    shellTurn("true"),
    { ...shellTurn(command), before: peak },
    { ...shellTurn("true"), before: peak }
  ])
  const [before = Number.NaN, after = Number.NaN] = peaks
  return new Map([
    [flood, timed(times[1] ?? Number.NaN)],
    [bare, timed(cat)],
    [growth, { ms: undefined, peakMiB: Number.isNaN(after) ? undefined : after - before }],
    [GROWTH_LIMIT, { ms: undefined, peakMiB: GROWTH_LIMIT_MIB }]
  ])
}

/** Not a number where the kernel does not tell. */
export const peakMib = (pid: number): number => {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return Number.NaN
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1] ?? Number.NaN) / 1024
}
