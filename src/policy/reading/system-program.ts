/**
 * Which program a name leads to, by the search path that the command will get: only one that stands in a folder of the
 * system, outside every folder that the agent works in, is what its name says.
 */
import { accessSync, constants, statSync } from "node:fs"
import { isInside } from "../../files/containment.ts"
import { kernelPath } from "../../files/real-path.ts"

/** Where systems keep their programs, links followed. What stands there was put there by an administrator. */
const SYSTEM_FOLDERS = [
  ...["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/share", "/usr/local"],
  ...[
    "/opt/homebrew",
    "/opt/local",
    "/home/linuxbrew/.linuxbrew",
    "/nix/store",
    "/gnu/store",
    "/snap",
    "/run/current-system"
  ],
  ...["/System", "/Library/Apple", "/Applications/Xcode.app"]
]

export interface ProgramSearch {
  /** `PATH` of the command. */
  readonly path: string
  /** Folders the agent works in; nothing in them is a program of the system. */
  readonly roots: ReadonlyArray<string>
}

/** The real path; `undefined` where the name leads elsewhere or nowhere. */
export const systemProgram = (name: string, { path, roots }: ProgramSearch): string | undefined => {
  const found = name.includes("/") ? absolute(name) : onPath(name, path)
  const real = found === undefined ? undefined : kernelPath("/", found)
  if (real === undefined || roots.some((root) => isInside(root, real))) return undefined
  return SYSTEM_FOLDERS.some((folder) => isInside(folder, real)) && isExecutable(real) ? real : undefined
}

/** A path without detours: what it names is where it says. */
const absolute = (name: string): string | undefined =>
  name.startsWith("/") && !/\/\/|\/\.\.?(?:\/|$)/.test(name) ? name : undefined

const onPath = (name: string, path: string): string | undefined => {
  for (const folder of path.split(":")) {
    // An empty or relative entry means the working folder.
    if (!folder.startsWith("/")) return undefined
    const file = `${folder}/${name}`
    if (isExecutable(file)) return file
  }
  return undefined
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
