/**
 * Whether a file descriptor is a terminal. `process.stdin.isTTY` and `node:tty` cost milliseconds of start-up each,
 * so they are not touched before the descriptor is known to be a character device other than the null device.
 */
import { fstatSync } from "node:fs"

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
