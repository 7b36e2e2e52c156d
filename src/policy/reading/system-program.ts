/**
 * Where the program comes from that a name leads to, by the search path that the command will get. Only one that stands
 * in a folder of the system, outside every folder that the agent works in, is what its name says.
 */
import { accessSync, constants, statSync } from "node:fs"
import { dirname } from "node:path"
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

/**
 * `system`: a folder of the system. `own`: the person's own, such as `~/.cargo/bin/rg` or what a version manager puts
 * first: outside of every folder that the agent works in, and not for everybody to write. It may be a script that takes
 * orders from the project (`.tool-versions`), so it never runs unasked, but a rule that names it means it. `strange`: the
 * project's, or anybody's. `nowhere`: there is none.
 */
export type ProgramOrigin = "system" | "own" | "strange" | "nowhere"

export interface ProgramSearch {
  /** `PATH` of the command. */
  readonly path: string
  /** Folders the agent works in; nothing in them is a program of the system. */
  readonly roots: ReadonlyArray<string>
}

export const programOrigin = (name: string, { path, roots }: ProgramSearch): ProgramOrigin => {
  const isPath = name.includes("/")
  const found = isPath ? absolute(name) : onPath(name, path)
  if (found === "nowhere" || found === "strange") return found
  const real = kernelPath("/", found)
  // Where no link leads to it, the folder is what it says as well, and a file that was searched for has been looked at.
  const folder = real === found ? dirname(found) : kernelPath("/", dirname(found))
  if (folder === undefined || real === undefined || ((isPath || real !== found) && !isExecutable(real)))
    return "strange"
  // A link in the project can be turned to another program at any time.
  if (roots.some((root) => isInside(root, real) || isInside(root, folder))) return "strange"
  if (SYSTEM_FOLDERS.some((one) => isInside(one, real))) return "system"
  return [real, dirname(real), folder].some(isForEverybody) ? "strange" : "own"
}

type Absolute = `/${string}`

const isAbsolute = (path: string): path is Absolute => path.startsWith("/")

/** A path without detours: what it names is where it says. */
const absolute = (name: string): Absolute | "strange" =>
  isAbsolute(name) && !/\/\/|\/\.\.?(?:\/|$)/.test(name) ? name : "strange"

const onPath = (name: string, path: string): Absolute | "strange" | "nowhere" => {
  for (const folder of path.split(":")) {
    // An empty or relative entry means the working folder.
    if (!isAbsolute(folder)) return "strange"
    const file: Absolute = `${folder}/${name}`
    if (isExecutable(file)) return file
  }
  return "nowhere"
}

const isExecutable = (file: string): boolean => {
  try {
    // Most folders of a search path do not have the name: that is no error, which would take longer than all the rest.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const OTHERS_WRITE = 0o002

const isForEverybody = (path: string): boolean => {
  try {
    return (statSync(path).mode & OTHERS_WRITE) !== 0
  } catch {
    return true
  }
}
