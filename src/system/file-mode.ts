/**
 * Permissions are changed of files and folders only, and of what stands at the path itself. Behind a link, or in the place
 * of a file, there may be a device that everybody uses: a run as root would close `/dev/null` for the whole machine. A
 * copy hands on the permissions of what was copied as well, so it only ever makes a new file.
 */
import { chmodSync, constants, copyFileSync, lstatSync } from "node:fs"

/** Throws the system's error, or `RangeError` where something else stands. */
export const setFileMode = (path: string, mode: number): void => {
  const found = lstatSync(path)
  if (!found.isFile() && !found.isDirectory()) throw new RangeError(`${path} is neither a file nor a folder`)
  chmodSync(path, mode)
}

/** `to` must not exist, not even as a link. */
export const copyToNewFile = (from: string, to: string): void => copyFileSync(from, to, constants.COPYFILE_EXCL)
