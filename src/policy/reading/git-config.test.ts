/** What we read of a configuration is what git reads: on random files made of everything that has a meaning in one. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gitBoolean, readGitConfig } from "./git-config.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "git-config-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** `undefined`: git refuses the file. */
const byGit = (text: string): ReadonlyArray<string> | undefined => {
  const file = join(folder, "config")
  writeFileSync(file, text)
  const ended = Bun.spawnSync(["git", "config", "-z", "--list", "-f", file], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1", HOME: folder }
  })
  return ended.exitCode === 0 ? withSpaces(ended.stdout.toString().split("\0").slice(0, -1)) : undefined
}

const byUs = (text: string): ReadonlyArray<string> | undefined => {
  const read = readGitConfig(text)
  return read && withSpaces(read.map(({ key, value }) => (value === undefined ? key : `${key}\n${value}`)))
}

/** Older versions make spaces of all blanks between words. */
const withSpaces = (entries: ReadonlyArray<string>) => entries.map((entry) => entry.replaceAll("\t", " "))

const PIECES = [
  ...["[core]", "[Core]", "[a.B]", '[a "B c"]', '[a "x\\"y\\\\z\\q"]', "[a-b]", "[", "]", '"', "[a ", "[a\t"],
  ...["\n", "\n", "\n", "\n", "\r\n", "\r", " ", "\t", "=", "=", " = ", "\\", "\\\n", "\\n", '\\"', "\\x"],
  ...["key", "Key2", "k-e-y", "pager", "value", "two words", "#", ";", "# comment", "0", "é", "%(x)", "~/x", "\v", "\f"]
]

test("random files", () => {
  let seed = 7
  const next = (bound: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor((seed / 2147483648) * bound)
  }
  let both = 0
  for (let round = 0; round < 3000; round++) {
    let text = round % 3 === 0 ? "" : "[core]\n"
    for (let left = next(9); left >= 0; left--) {
      text +=
        round % 2 === 0
          ? (PIECES[next(PIECES.length)] ?? "")
          : `k = ${PIECES[next(PIECES.length)]}${PIECES[next(PIECES.length)]}\n`
    }
    const ours = byUs(text)
    if (ours === undefined) continue
    both++
    expect([text, ours]).toEqual([text, byGit(text) ?? ["refused"]])
  }
  expect(both).toBeGreaterThan(300)
})

test("ordinary files are read", () => {
  const text = `; first
[core]
\trepositoryformatversion = 0
\tbare = false # really
[remote "origin"]
\turl = https://example.com/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[alias]
\tlg = log --graph \\
\t  --oneline
\tq = "a; b"
[flag] set
`
  expect(byUs(text)).toEqual(byGit(text) ?? [])
  expect(byUs(text)).toHaveLength(7)
})

test("truth as git reads it", () => {
  expect([undefined, "true", "YES", "on", "1"].map(gitBoolean)).toEqual([true, true, true, true, true])
  expect(["", "false", "No", "off", "0"].map(gitBoolean)).toEqual([false, false, false, false, false])
  expect(["2", "./program", "truee"].map(gitBoolean)).toEqual([undefined, undefined, undefined])
})
