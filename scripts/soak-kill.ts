/**
 * One long run of the binary, killed at each of its writes and syncs in turn, from the first to the last: what goes on
 * must tell the model all that the killed run had told it. `scripts/soak-kill.ts [turns]`; about four kills for each
 * turn. Prints how many there were; exits with 1 at the first turn that is lost.
 */
import { isDeepStrictEqual } from "node:util"
import { killAt, type Said, undisturbed } from "../test/kit/kill-run.ts"

const TURNS = Number(process.argv[2] ?? 100)
const SYSCALLS = ["write", "fsync"]

const checked = async (syscall: string, when: number, told: ReadonlyArray<ReadonlyArray<Said>>): Promise<boolean> => {
  const { exitCode, isKilled, resumed, sent } = await killAt(syscall, when, TURNS)
  const before = told[sent - 1] ?? []
  const isKept =
    resumed === undefined
      ? exitCode === 42 && sent <= 1
      : exitCode === 0 && isDeepStrictEqual(resumed.slice(0, before.length), before)
  if (!isKept) throw new Error(`${syscall} ${when}: the run after the kill ended with ${exitCode} or lost a turn`)
  return isKilled
}

/** Two at a time, until a run was not killed any more. */
const killEverywhere = async (syscall: string, told: ReadonlyArray<ReadonlyArray<Said>>): Promise<number> => {
  let next = 1
  let end = Number.POSITIVE_INFINITY
  const work = async () => {
    while (next < end) {
      const when = next++
      if (!(await checked(syscall, when, told))) end = Math.min(end, when)
    }
  }
  await Promise.all([work(), work()])
  return end - 1
}

try {
  const told = await undisturbed(TURNS)
  for (const syscall of SYSCALLS) {
    process.stdout.write(`killed at ${await killEverywhere(syscall, told)} calls of ${syscall}: nothing was lost\n`)
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
