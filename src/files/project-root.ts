/** Where a project begins: the nearest folder upwards that holds one of the boundary markers. */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

export const projectOf = (folder: string, markers: ReadonlyArray<string>): string | undefined => {
  if (markers.some((marker) => marker !== "" && existsSync(join(folder, marker)))) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : projectOf(parent, markers)
}

/** The folders from `top` down to `folder`, both included; `folder` alone where it does not lie below `top`. */
export const foldersBetween = (top: string, folder: string): ReadonlyArray<string> => {
  const found = [folder]
  for (let at = folder; at !== top; at = dirname(at)) {
    if (dirname(at) === at) return [folder]
    found.unshift(dirname(at))
  }
  return found
}
