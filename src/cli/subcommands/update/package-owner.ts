/**
 * Who put the program where it is. What a package manager installed is its to replace: a file that changes under it is
 * undone at its next update, or breaks it.
 */
import { existsSync, readdirSync } from "node:fs"

export interface PackageOwner {
  readonly name: string
  /** What a person types to have the newest version. */
  readonly command: string
}

/** What is looked at of the machine, so that a test can describe one. */
export interface InstalledFiles {
  readonly exists: (path: string) => boolean
  /** Names in a folder; empty where it cannot be read. */
  readonly names: (folder: string) => ReadonlyArray<string>
}

const BY_FOLDER: ReadonlyArray<readonly [RegExp, PackageOwner]> = [
  [/[/\\]node_modules[/\\]@gemini-fx[/\\]/, { name: "npm", command: "npm install -g gemini-fx@latest" }],
  [/\/Cellar\/gemini-fx\//, { name: "Homebrew", command: "brew upgrade gemini-fx" }],
  [/^\/nix\/store\//, { name: "Nix", command: "nix profile upgrade gemini-fx" }],
  [/[/\\]scoop[/\\]apps[/\\]/i, { name: "Scoop", command: "scoop update gemini-fx" }],
  [/[/\\]WinGet[/\\]Packages[/\\]/i, { name: "winget", command: "winget upgrade gemini-fx" }]
]

const SYSTEM_FOLDER = /^\/(?:usr\/)?bin\//

export const packageOwner = (program: string, files: InstalledFiles = machine): PackageOwner | undefined => {
  const found = BY_FOLDER.find(([folder]) => folder.test(program))
  if (found !== undefined) return found[1]
  if (!SYSTEM_FOLDER.test(program)) return undefined
  if (files.exists("/var/lib/dpkg/info/gemini-fx.list")) {
    return { name: "dpkg", command: "sudo dpkg -i gemini-fx_VERSION_ARCH.deb, or sudo apt-get upgrade gemini-fx" }
  }
  if (files.names("/var/lib/pacman/local").some((name) => name.startsWith("gemini-fx-"))) {
    return { name: "pacman", command: "the AUR helper that installed gemini-fx" }
  }
  if (["/var/lib/rpm", "/usr/lib/sysimage/rpm"].some(files.exists)) {
    return { name: "rpm", command: "sudo rpm -U gemini-fx-VERSION.ARCH.rpm, or sudo dnf upgrade gemini-fx" }
  }
  return undefined
}

const machine: InstalledFiles = {
  exists: existsSync,
  names: (folder) => {
    try {
      return readdirSync(folder)
    } catch {
      return []
    }
  }
}
