/** Which paths a call touches that writes some files: those in the workspace, and the folders that it will have to make. */
import { lstatSync } from "node:fs"
import { dirname } from "node:path"
import { isInside } from "../../files/containment.ts"

export const touchedPaths = (paths: ReadonlyArray<string>, roots: ReadonlyArray<string>): ReadonlyArray<string> => {
  const touched = new Set<string>()
  for (const path of paths) {
    const root = roots.find((candidate) => path !== candidate && isInside(candidate, path))
    if (root === undefined) continue
    touched.add(path)
    for (let folder = dirname(path); folder !== root && isMissing(folder); folder = dirname(folder)) touched.add(folder)
  }
  return [...touched]
}

const isMissing = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
