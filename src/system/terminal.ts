/**
 * Whether a file descriptor is a terminal. `process.stdin.isTTY` and `node:tty` cost milliseconds of start-up each,
 * so they are not touched before the descriptor is known to be a character device other than the null device.
 */
import { fstatSync, readFileSync } from "node:fs"

export const isTerminal = (fd: number): boolean => {
  try {
    const status = fstatSync(fd)
    return status.isCharacterDevice() && status.rdev !== NULL_DEVICE && process.getBuiltinModule("node:tty").isatty(fd)
  } catch {
    // The descriptor is closed.
    return false
  }
}

/** Device 1:3 on Linux; elsewhere the number means nothing and the terminal is asked. */
const NULL_DEVICE = process.platform === "linux" ? 0x103 : -1

/** The null device has nothing to read and never will. */
export const isNullDevice = (fd: number): boolean => {
  try {
    return fstatSync(fd).rdev === NULL_DEVICE
  } catch {
    return false
  }
}

/**
 * Whether this process was started without the descriptor (`>&-`). The runtime opens the null device in its place, and closes
 * that for children: a descriptor that somebody gave us cannot be marked so. Known on Linux only.
 */
export const isMissing = (fd: number): boolean => {
  if (!isNullDevice(fd)) return false
  try {
    const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? []
    return (Number.parseInt(flags, 8) & CLOSED_FOR_CHILDREN) !== 0
  } catch {
    return false
  }
}

const CLOSED_FOR_CHILDREN = 0o2000000
