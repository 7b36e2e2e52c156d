/**
 * The variables of this process, with the credentials among them taken out of where others can read them. The system
 * shows the block of memory that a program was started with to every process of the same user (`/proc/<pid>/environ`),
 * and a command that the model runs is one. So the values are copied, and overwritten there, before anything else is
 * started. The names of the memory are those of the system; nothing but our own block is ever written to.
 *
 * Linux only. Elsewhere the system has no such file to write through: the block keeps what it was started with.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { CREDENTIAL_VARIABLES, type Variables } from "./child-variables.ts"
import { isCredential } from "./known-secrets.ts"

/** A copy of all of them. Ours are also gone from `process.env`, which libraries hand to programs that they start. */
export const takeVariables = (env: Record<string, string | undefined>): Variables => {
  const taken: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined) taken[name] = value
  blankCredentials()
  for (const name of CREDENTIAL_VARIABLES) delete env[name]
  return taken
}

/** Entries of the block that hold a credential become as many zeros, which is how an empty entry looks. */
const blankCredentials = (): void => {
  if (process.platform !== "linux") return
  try {
    const spans = credentialSpans(readFileSync("/proc/self/environ", "latin1"))
    if (spans.length === 0) return
    const begin = blockBegin(readFileSync("/proc/self/stat", "latin1"))
    if (begin === undefined) return
    const memory = openSync("/proc/self/mem", "r+")
    try {
      for (const { at, length } of spans) writeSync(memory, Buffer.alloc(length), 0, length, begin + at)
    } finally {
      closeSync(memory)
    }
  } catch {
    // No `/proc`, or one that is not ours to write to. What is said about it stands in the documentation.
  }
}

/** Field 50 of `/proc/<pid>/stat`; the name of the program in field 2 may hold anything. 0: we may not know. */
export const blockBegin = (stat: string): number | undefined => {
  const address = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[47])
  return Number.isSafeInteger(address) && address > 0 ? address : undefined
}

export interface MemoryRange {
  readonly at: number
  readonly length: number
}

/**
 * Where credentials stand in a block of `NAME=value` entries, each of which a zero ends. Read as one character a byte, so
 * that places in the text are places in memory.
 */
export const credentialSpans = (block: string): ReadonlyArray<MemoryRange> => {
  const spans: Array<MemoryRange> = []
  let at = 0
  for (const entry of block.split("\0")) {
    const equals = entry.indexOf("=")
    if (equals > 0 && isCredential(entry.slice(0, equals), entry.slice(equals + 1))) {
      spans.push({ at, length: entry.length })
    }
    at += entry.length + 1
  }
  return spans
}
