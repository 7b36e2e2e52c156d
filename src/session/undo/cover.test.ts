import { describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FastCheck as fc } from "effect"
import { namesIn, trackedPaths } from "./cover.ts"

const withRepository = (use: (root: string, git: (...args: ReadonlyArray<string>) => string) => void) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tracked-")))
  const git = (...args: ReadonlyArray<string>) =>
    Bun.spawnSync(["git", ...args], { cwd: root, env: { PATH: process.env.PATH, HOME: root } }).stdout.toString()
  try {
    use(root, git)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const NAMES = [
  "a",
  "a.txt",
  "src/b.ts",
  "src/deep/er/c.ts",
  "src/deep/er/cc.ts",
  "ünï/ço dé",
  "12345678",
  "x".repeat(200)
]

describe("the index of git", () => {
  test.each([2, 3, 4])("version %d is read", (version) =>
    withRepository((root, git) => {
      git("init", "-q")
      git("config", "index.version", String(version))
      for (const name of NAMES) {
        mkdirSync(join(root, name, ".."), { recursive: true })
        writeFileSync(join(root, name), name)
      }
      git("add", "-A")
      git("update-index", "--index-version", String(version))
      // An entry with flags of its own.
      git("add", "-N", "a")
      const listed = git("ls-files", "-z")
        .split("\0")
        .filter((name) => name !== "")
      expect(namesIn(readFileSync(join(root, ".git/index")))).toEqual(listed)
      expect([...listed].sort()).toEqual([...NAMES].sort())
      const tracked = trackedPaths(join(root, "src"))
      expect(tracked.has(join(root, "src/deep"))).toBe(true)
      expect(tracked.has(join(root, "src/other"))).toBe(false)
    })
  )

  test("damage of any kind tracks nothing, and ends", () =>
    withRepository((root, git) => {
      git("init", "-q")
      for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), name)
      git("add", "-A")
      const file = join(root, ".git/index")
      const whole = readFileSync(file)
      fc.assert(
        fc.property(fc.nat(whole.length - 1), fc.nat(255), (position, value) => {
          const damaged = Buffer.from(whole)
          damaged[position] = value
          writeFileSync(file, damaged.subarray(0, value % 2 === 0 ? damaged.length : position))
          expect(typeof trackedPaths(root).has(join(root, "a"))).toBe("boolean")
        }),
        { numRuns: 300 }
      )
    }))
})
