import { expect, test } from "bun:test"
import { packageOwner } from "./package-owner.ts"

const machine = (...paths: ReadonlyArray<string>) => ({
  exists: (path: string) => paths.includes(path),
  names: (folder: string) =>
    paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1))
})

const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string | undefined]> = [
  ["/usr/lib/node_modules/gemini-fx/node_modules/@gemini-fx/linux-x64/bin/gemini", [], "npm"],
  ["/opt/homebrew/Cellar/gemini-fx/0.61.1/bin/gemini", [], "Homebrew"],
  ["/nix/store/abc-gemini-fx/bin/gemini", [], "Nix"],
  ["C:\\Users\\ada\\scoop\\apps\\gemini-fx\\current\\gemini.exe", [], "Scoop"],
  ["C:\\Program Files\\WinGet\\Packages\\gemini-fx\\gemini.exe", [], "winget"],
  ["/usr/bin/gemini", ["/var/lib/dpkg/info/gemini-fx.list"], "dpkg"],
  ["/usr/bin/gemini", ["/var/lib/pacman/local/gemini-fx-0.61.1-1"], "pacman"],
  ["/usr/bin/gemini", ["/var/lib/rpm"], "rpm"],
  ["/usr/bin/gemini", [], undefined],
  // A machine with packages, and a program that was put there by hand.
  ["/home/ada/.local/bin/gemini", ["/var/lib/dpkg/info/gemini-fx.list", "/var/lib/rpm"], undefined],
  ["/usr/local/bin/gemini", ["/var/lib/rpm"], undefined]
]

test.each(cases)("%s beside %p belongs to %p", (program, paths, owner) => {
  expect(packageOwner(program, machine(...paths))?.name).toBe(owner)
})
