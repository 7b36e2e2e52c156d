/**
 * Goes through the steps of a launcher in our own program: what `gemini __confine LAUNCHER COMMAND…` does, where files
 * cannot be started from any private folder. Whatever fails on the way ends it (exit 44), so that a command never runs
 * less confined than planned. The restrictions hold for the thread that makes them; becoming another program ends all others.
 *
 * System calls go through the C library, whose functions no library of ours offers.
 */
import { dlopen, type Pointer, ptr, toArrayBuffer } from "bun:ffi"
import { readFileSync } from "node:fs"
import { ExitCode } from "../../protocol/exit-code.ts"
import { FIND, LAUNCHER_LAYOUT } from "./launcher-program.ts"

/** Does not return where it succeeds, nor where a step of the launcher ends the process; else the exit code. */
export const confineSelf = (
  [launcher = "", ...command]: ReadonlyArray<string>,
  tell: (text: string) => void
): number => {
  try {
    runLauncher(readFileSync(launcher), command)
  } catch (cause) {
    tell(`gemini: the sandbox could not be set up: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  return ExitCode.sandbox
}

/** The version of Landlock that this kernel has; 0: none. Throws where no C library is found. */
export const landlockVersion = (): number => {
  const CREATE_RULESET = 444
  return Math.max(Number(library().syscall(BigInt(CREATE_RULESET), 0n, 0n, 1n, 0n, 0n, 0n)), 0)
}

const library = () => {
  const names = process.platform === "linux" ? ["libc.so.6", `libc.musl-${MUSL_NAME[process.arch] ?? ""}.so.1`] : []
  for (const name of names) {
    try {
      return dlopen(name, {
        syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" },
        signal: { args: ["i32", "ptr"], returns: "ptr" }
      }).symbols
    } catch {
      // The other C library, then.
    }
  }
  throw new Error("no C library was found")
}

const MUSL_NAME: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" }
const CALLS = { x64: { mmap: 9, fcntl: 72 }, arm64: { mmap: 222, fcntl: 25 } }
const PAGE = 0x10000

const runLauncher = (file: Buffer, command: ReadonlyArray<string>): void => {
  const { signal, syscall } = library()
  const own = process.arch === "arm64" ? CALLS.arm64 : CALLS.x64
  const call = (number: number | bigint, ...given: ReadonlyArray<number | bigint>): bigint => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = given
    return syscall(BigInt(number), BigInt(a), BigInt(b), BigInt(c), BigInt(d), BigInt(e), BigInt(f))
  }
  const { dataAt, dataOffset, own: ownMark } = LAUNCHER_LAYOUT
  const length = Math.ceil(file.length / PAGE) * PAGE
  const [READ_AND_WRITE, PRIVATE_NEW_HERE] = [3, 0x100022]
  if (call(own.mmap, dataAt, length, READ_AND_WRITE, PRIVATE_NEW_HERE, -1, 0) !== BigInt(dataAt)) {
    throw new Error("the kernel refused memory for it")
  }
  // What the type stands for: an address that the kernel has just given.
  const memory = new Uint8Array(toArrayBuffer(dataAt as Pointer, 0, length))
  memory.set(file)
  // Broken pipes and too large files end a program again, as they do where no runtime asked not to hear of them; and
  // whoever writes waits for a slow reader.
  for (const number of [13, 25]) signal(number, null)
  const [GET, SET, WITHOUT_WAITING] = [3, 4, 0o4000n]
  for (const descriptor of [0, 1, 2]) {
    const flags = call(own.fcntl, descriptor, GET)
    if (flags > 0n) call(own.fcntl, descriptor, SET, flags & ~WITHOUT_WAITING)
  }
  // The kernel was given their addresses: they must not be collected.
  const held: Array<Uint8Array | BigUint64Array> = []
  const textAt = (text: string): bigint => {
    const bytes = Buffer.from(`${text}\0`)
    held.push(bytes)
    return BigInt(ptr(bytes))
  }
  const listAt = (texts: ReadonlyArray<string>): bigint => {
    const list = new BigUint64Array([...texts.map(textAt), 0n])
    held.push(list)
    return BigInt(ptr(list))
  }
  const argv = listAt(command)
  const environment = listAt(Object.entries(process.env).map(([name, value]) => `${name}=${value}`))
  const view = new DataView(memory.buffer)
  const at = (address: number): bigint => view.getBigInt64(address - dataAt, true)
  for (let step = dataAt + dataOffset; ; ) {
    const [number = 0n, first = 0n, second = 0n, third = 0n, ...rest] = Array.from({ length: 7 }, (_, index) =>
      at(step + 8 * index)
    )
    const result =
      number === BigInt(FIND)
        ? found(memory, Number(first) - dataAt, Number(second) - dataAt, Number(third) - dataAt, Number(rest[0]))
        : call(number, first, second === ownMark ? argv : second, third === ownMark ? environment : third, ...rest)
    step = Number(at(step + (result < 0n ? 64 : 56)))
  }
}

const found = (memory: Uint8Array, from: number, to: number, wanted: number, length: number): bigint =>
  Buffer.from(memory.subarray(from, to)).includes(memory.subarray(wanted, wanted + length)) ? 0n : -1n
