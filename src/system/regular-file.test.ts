import { afterAll, describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readRegularFile } from "./regular-file.ts"

const folder = mkdtempSync(join(tmpdir(), "regular-file-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const given = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content)
  return at(name)
}

describe("text", () => {
  test.each<[string, string | Uint8Array, string]>([
    ["plain", "{}", "{}"],
    ["empty", "", ""],
    ["byte order mark", "\uFEFFx", "x"],
    ["UTF-16 of Windows", Buffer.from('\uFEFF{"a": 1}', "utf16le"), '{"a": 1}'],
    ["longer than one chunk", "y".repeat(200_000), "y".repeat(200_000)]
  ])("%s", (name, content, text) => {
    expect(readRegularFile(given(name, content), 1024 * 1024)).toEqual({ kind: "text", text })
  })

  test("through a link", () => {
    given("target", "here")
    symlinkSync("target", at("link"))
    expect(readRegularFile(at("link"), 100)).toEqual({ kind: "text", text: "here" })
  })
})

describe("missing", () => {
  test.each([at("nothing"), join(at("plain"), "below-a-file"), "/dev/null"])("%s", (file) => {
    given("plain", "{}")
    expect(readRegularFile(file, 100)).toEqual({ kind: "missing" })
  })
})

describe("refused", () => {
  const reasonOf = (file: string, limit = 100) => {
    const result = readRegularFile(file, limit)
    return result.kind === "refused" ? result.reason : result.kind
  }

  test("a folder", () => {
    mkdirSync(at("folder"))
    expect(reasonOf(at("folder"))).toBe("is a folder")
  })

  test("a FIFO, without waiting for a writer", () => {
    Bun.spawnSync(["mkfifo", at("fifo")])
    expect(reasonOf(at("fifo"))).toBe("is not a regular file")
  })

  test("a device", () => expect(reasonOf("/dev/zero")).toBe("is not a regular file"))

  test("more bytes than allowed", () => {
    expect(reasonOf(given("large", "x".repeat(2049)), 2048)).toBe("is larger than 2 KiB")
    expect(reasonOf("/proc/self/status", 10)).toBe(process.platform === "linux" ? "is larger than 10 bytes" : "missing")
  })

  test("bytes that are no text", () =>
    expect(reasonOf(given("binary", new Uint8Array([0x7b, 0xff, 0xfe])))).toBe("is not UTF-8 text"))

  test("links in a circle", () => {
    symlinkSync("b", at("a"))
    symlinkSync("a", at("b"))
    expect(reasonOf(at("a"))).toContain("leads to itself")
  })

  test.skipIf(process.getuid?.() === 0)("no permission", () => {
    chmodSync(given("secret", "x"), 0)
    expect(reasonOf(at("secret"))).toContain("permission denied")
  })
})
