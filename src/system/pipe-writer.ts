/**
 * Who else can still write into a pipe of ours: that is how a slow producer is told from a pipe that the program which
 * started us left open by accident. Linux only, from `/proc`; elsewhere nobody is found.
 */
import { fstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { ancestorsOf, rowOf } from "./process-table.ts"

export interface PipeWriter {
  readonly pid: number
  /** As the kernel knows the program, at most 15 bytes. */
  readonly name: string
}

/** More are there only where something starts itself without end. */
const MOST_ANCESTORS = 64

/**
 * A process that holds the writing end, and neither is this one nor led to its start: a program that runs us by a shell or
 * by \`timeout\`, and leaves the pipe open, is no more a producer than one that starts us itself.
 */
export const otherWriterOf = (descriptor: number): PipeWriter | undefined => {
  if (process.platform !== "linux") return undefined
  const pipe = pipeNameOf(descriptor)
  if (pipe === undefined) return undefined
  const own = rowOf(process.pid)
  const passedOver = new Set([process.pid, ...ancestorsOf(process.pid, MOST_ANCESTORS).map(({ pid }) => pid)])
  for (const name of entriesOf("/proc") ?? []) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || passedOver.has(pid)) continue
    const holds = holdsWritingEnd(pid, pipe)
    // `sudo … | gemini`: what another user's process holds is not shown, but it stands in the same pipeline.
    const mayHold = holds === undefined && own !== undefined && rowOf(pid)?.group === own.group
    if (holds === true || mayHold) return { pid, name: textOf(`/proc/${pid}/comm`)?.trimEnd() ?? "" }
  }
  return undefined
}

const pipeNameOf = (descriptor: number): string | undefined => {
  try {
    const status = fstatSync(descriptor)
    // A named one is found by its path, and every other by its number.
    return status.isFIFO() ? readlinkSync(`/proc/self/fd/${descriptor}`) : undefined
  } catch {
    return undefined
  }
}

/** `undefined`: it may not be looked at. */
const holdsWritingEnd = (pid: number, pipe: string): boolean | undefined => {
  const descriptors = entriesOf(`/proc/${pid}/fd`)
  return descriptors?.some((name) => linkOf(`/proc/${pid}/fd/${name}`) === pipe && isWritable(pid, name))
}

/** The two lowest bits of the flags, which the kernel shows in octal: 0 is reading only. */
const isWritable = (pid: number, descriptor: string): boolean => {
  const flags = /^flags:\s*([0-7]+)/m.exec(textOf(`/proc/${pid}/fdinfo/${descriptor}`) ?? "")?.[1]
  return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0
}

const entriesOf = (folder: string): ReadonlyArray<string> | undefined => orNothing(() => readdirSync(folder))

const linkOf = (path: string): string | undefined => orNothing(() => readlinkSync(path))

const textOf = (path: string): string | undefined => orNothing(() => readFileSync(path, "utf8"))

/** Processes end, and belong to others, while they are looked at. */
const orNothing = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}
