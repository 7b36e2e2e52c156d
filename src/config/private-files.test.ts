import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closePrivateFiles } from "./private-files.ts"

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

const newHome = () => {
  const root = mkdtempSync(join(tmpdir(), "private-"))
  const folder = join(root, ".gemini")
  mkdirSync(join(folder, "tmp/work/chats"), { recursive: true })
  writeFileSync(join(folder, "projects.json"), "{}")
  writeFileSync(join(folder, "tmp/work/chats/one.jsonl"), "")
  writeFileSync(join(folder, "run.sh"), "")
  chmodSync(join(folder, "run.sh"), 0o755)
  return { root, folder }
}

describe("the folder of the user", () => {
  test("is closed with everything in it, and what may be run stays so", () => {
    const { folder } = newHome()
    expect(closePrivateFiles(folder, "linux")).toBe(7)
    expect([".", "tmp", "tmp/work/chats", "run.sh"].map((name) => modeOf(join(folder, name)))).toEqual(
      Array(4).fill("700")
    )
    expect(["projects.json", "tmp/work/chats/one.jsonl"].map((name) => modeOf(join(folder, name)))).toEqual(
      Array(2).fill("600")
    )
    expect(closePrivateFiles(folder, "linux")).toBe(0)
  })

  test("a file that is opened later is found, also where the folder is closed", () => {
    const { folder } = newHome()
    closePrivateFiles(folder, "linux")
    chmodSync(join(folder, "projects.json"), 0o644)
    expect(closePrivateFiles(folder, "linux")).toBe(0)
    expect(modeOf(join(folder, "projects.json"))).toBe("600")
  })

  test("links are not followed, at no depth, and the folder may be none", () => {
    const { root, folder } = newHome()
    const elsewhere = join(root, "shared")
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, "file"), "")
    symlinkSync(elsewhere, join(folder, "extensions"))
    symlinkSync(join(elsewhere, "file"), join(folder, "settings.json"))
    symlinkSync(elsewhere, join(folder, "tmp/work/link"))
    closePrivateFiles(folder, "linux")
    symlinkSync(elsewhere, join(root, "linked"))
    expect(closePrivateFiles(join(root, "linked"), "linux")).toBe(0)
    expect([elsewhere, join(elsewhere, "file")].map(modeOf)).toEqual(["755", "644"])
    expect(closePrivateFiles(join(root, "missing"), "linux")).toBe(0)
    expect(closePrivateFiles(elsewhere, "win32")).toBe(0)
  })
})
