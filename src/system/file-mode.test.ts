import { afterAll, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { copyToNewFile, setFileMode } from "./file-mode.ts"

const root = mkdtempSync(join(tmpdir(), "file-mode-"))
const at = (name: string): string => join(root, name)
const modeOf = (path: string): number => statSync(path).mode & 0o777

afterAll(() => rmSync(root, { recursive: true, force: true }))

const isRoot = process.getuid?.() === 0
const device = at("null")
if (isRoot) Bun.spawnSync(["mknod", "-m", "666", device, "c", "1", "3"])
const pipe = at("pipe")
Bun.spawnSync(["mkfifo", "-m", "666", pipe])

test("files and folders get the permissions", () => {
  writeFileSync(at("file"), "x")
  mkdirSync(at("folder"))
  setFileMode(at("file"), 0o600)
  setFileMode(at("folder"), 0o500)
  expect([modeOf(at("file")), modeOf(at("folder"))]).toEqual([0o600, 0o500])
})

test.each([["a pipe", pipe], ...(isRoot ? [["a device", device] as const] : [])] as const)(
  "%s keeps its permissions, named or linked to",
  (name, path) => {
    const link = at(`link to ${name}`)
    symlinkSync(path, link)
    for (const target of [path, link]) {
      expect(() => setFileMode(target, 0o600)).toThrow(/neither a file nor a folder/)
      expect(() => copyToNewFile(import.meta.path, target)).toThrow(/EEXIST/)
    }
    expect(modeOf(path)).toBe(0o666)
  }
)

test("a link to a file is not the file", () => {
  writeFileSync(at("behind"), "x")
  chmodSync(at("behind"), 0o644)
  symlinkSync(at("behind"), at("before"))
  expect(() => setFileMode(at("before"), 0o600)).toThrow(RangeError)
  expect(() => copyToNewFile(import.meta.path, at("before"))).toThrow(/EEXIST/)
  expect([modeOf(at("behind")), readFileSync(at("behind"), "utf8")]).toEqual([0o644, "x"])
})

test("a copy has content and permissions of the file", () => {
  writeFileSync(at("tool"), "#!/bin/sh\n")
  chmodSync(at("tool"), 0o750)
  copyToNewFile(at("tool"), at("copy"))
  expect([modeOf(at("copy")), readFileSync(at("copy"), "utf8")]).toEqual([0o750, "#!/bin/sh\n"])
})
