/** Resolved as the kernel does: compared with what a file that is written there turns out to be. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FastCheck } from "effect"
import { errnoOf } from "./file-error.ts"
import { realPathOf } from "./real-path.ts"

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "real-path-")))
  mkdirSync(join(root, "work/deep/er"), { recursive: true })
  mkdirSync(join(root, "other/in"), { recursive: true })
  symlinkSync(".", join(root, "work/here"))
  symlinkSync("deep/er", join(root, "work/down"))
  symlinkSync("../other/in", join(root, "work/out"))
  symlinkSync("down/../up", join(root, "work/dangling"))
  symlinkSync("loop", join(root, "work/loop"))
})
afterAll(() => rmSync(root, { recursive: true }))

const STEPS = ["here", "down", "out", "dangling", "deep", "er", "..", ".", "", "new"]

describe("a path that may not exist yet", () => {
  test.each([
    ["here/../secret", "secret"],
    ["down/../x", "work/deep/x"],
    ["out/../x", "other/x"],
    ["dangling", "work/deep/up"],
    ["new/../x", "work/x"],
    ["out/new/deeper", "other/in/new/deeper"]
  ])("%s", (path, real) => expect(realPathOf(`${root}/work/${path}`)).toBe(join(root, real)))

  test("a loop is told", () => expect(() => realPathOf(`${root}/work/loop/x`)).toThrow(/ELOOP|too many links/))

  test("is where the kernel writes to", () => {
    let tried = 0
    let written = 0
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.constantFrom(...STEPS), { maxLength: 6 }), (steps) => {
        const path = [root, "work", ...steps, "leaf"].join("/")
        const before = realPathOf(path)
        const stamp = String(tried++)
        try {
          writeFileSync(path, stamp)
        } catch (cause) {
          expect(errnoOf(cause)).toMatch(/ENOENT|ENOTDIR/)
          return
        }
        expect([before, realPathOf(path)].map((one) => readFileSync(one, "utf8"))).toEqual([stamp, stamp])
        rmSync(path)
        written++
      }),
      { numRuns: 500 }
    )
    expect(written).toBeGreaterThan(50)
  })
})
