/**
 * Time and peak memory of programs. Programs take turns, so that a busy moment of the machine hits all of them alike; the
 * numbers are medians, and only their ratios mean something.
 *
 * Peak memory comes from GNU time: a child that this process starts itself inherits this process's own peak in the
 * kernel's books.
 */
import { existsSync } from "node:fs"

export interface Program {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface Measurement {
  readonly ms: number | undefined
  /** Absent where it cannot be told, or was not asked for. */
  readonly peakMiB: number | undefined
}

/** By the name of what was measured. */
export type Measured = ReadonlyMap<string, Measurement>

export interface Rounds {
  readonly timed: number
  readonly weighed: number
}

const WARM_UP = 2
export const GNU_TIME = "/usr/bin/time"

export const measureAll = async (programs: ReadonlyArray<Program>, rounds: Rounds): Promise<Measured> => {
  const times = new Map(programs.map((program) => [program.name, [] as Array<number>]))
  const peaks = new Map(programs.map((program) => [program.name, [] as Array<number>]))
  for (let round = -WARM_UP; round < rounds.timed; round++) {
    for (const program of programs) {
      const ms = await timeOf(program)
      if (round >= 0) times.get(program.name)?.push(ms)
    }
  }
  for (let round = 0; round < (canWeigh() ? rounds.weighed : 0); round++) {
    for (const program of programs) peaks.get(program.name)?.push(await peakOf(program))
  }
  return new Map(
    programs.map(({ name }) => [name, { ms: median(times.get(name) ?? []), peakMiB: medianOrNone(peaks.get(name)) }])
  )
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** One after the other; a person who waits sees which one it is. */
export const measureParts = async (
  parts: ReadonlyArray<readonly [name: string, measure: () => Promise<Measured>]>,
  onPart: (name: string) => void
): Promise<Measured> => {
  const measured = new Map<string, Measurement>()
  for (const [name, measure] of parts) {
    onPart(name)
    for (const [program, sample] of await measure()) measured.set(program, sample)
  }
  return measured
}

/** Only its time is known. */
export const timed = (ms: number): Measurement => ({ ms, peakMiB: undefined })

const medianOrNone = (values: ReadonlyArray<number> = []): number | undefined =>
  values.length === 0 ? undefined : median(values)

export const canWeigh = (): boolean => existsSync(GNU_TIME) && process.platform === "linux"

const timeOf = async (program: Program): Promise<number> => {
  const start = Bun.nanoseconds()
  await finished(program, program.command)
  return (Bun.nanoseconds() - start) / 1e6
}

/** GNU time prints the peak in KiB on the last line of standard error. */
const peakOf = async (program: Program): Promise<number> => {
  const stderr = await finished(program, [GNU_TIME, "-f", "%M", ...program.command])
  return Number(stderr.trimEnd().split("\n").at(-1)) / 1024
}

/** Its standard error. A program that fails would be measured doing something else, so that ends the bench. */
const finished = async (program: Program, command: ReadonlyArray<string>): Promise<string> => {
  const child = Bun.spawn([...command], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    ...(program.env === undefined ? {} : { env: program.env }),
    ...(program.cwd === undefined ? {} : { cwd: program.cwd })
  })
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  if (code !== 0) throw new Error(`${program.name} ended with ${code}: ${stderr}`)
  return stderr
}
