import { expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, FastCheck as fc } from "effect"
import { type PackedEntry, tar, tarGz, zip } from "../../../test/kit/archive-bytes.ts"
import type { ArchiveLimits } from "./archive-entry.ts"
import { extractArchive } from "./extract-archive.ts"

const limits: ArchiveLimits = { maxEntries: 50, maxBytes: 1024 * 1024 }

const newTempFolder = () => {
  const path = mkdtempSync(join(tmpdir(), "archive-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const extract = (root: string, bytes: Uint8Array, within = limits) => {
  const file = join(root, "archive")
  writeFileSync(file, bytes)
  return Effect.runSync(Effect.either(extractArchive(file, join(root, "out"), within)))
}

const faultOf = (bytes: Uint8Array, within = limits): string => {
  using folder = newTempFolder()
  const result = extract(folder.path, bytes, within)
  expect(existsSync(join(folder.path, "out"))).toBe(false)
  return Either.isLeft(result) ? `${result.left.kind}: ${result.left.detail}` : "unpacked"
}

const good: ReadonlyArray<PackedEntry> = [
  { name: "top/", mode: 0o40755 },
  { name: "top/SKILL.md", text: "---\nname: a\n---\n" },
  { name: "./top/scripts//run.sh", text: "#!/bin/sh\n", mode: 0o100755 },
  { name: "top/größe.txt", text: "ü" }
]

test.each([
  ["tar", tar(good.map(({ mode, ...entry }) => ({ ...entry, mode: (mode ?? 0o644) & 0o777 })))],
  ["tar.gz", tarGz(good.map(({ mode, ...entry }) => ({ ...entry, mode: (mode ?? 0o644) & 0o777 })))],
  ["zip", zip(good)]
])("a %s is unpacked with its names and modes", (_, bytes) => {
  using folder = newTempFolder()
  expect(Either.getOrThrow(extract(folder.path, bytes))).toEqual([
    "top/SKILL.md",
    "top/scripts/run.sh",
    "top/größe.txt"
  ])
  const out = join(folder.path, "out/top")
  expect(readFileSync(join(out, "größe.txt"), "utf8")).toBe("ü")
  expect(statSync(join(out, "scripts/run.sh")).mode & 0o777).toBe(0o755)
  expect(statSync(join(out, "SKILL.md")).mode & 0o777).toBe(0o644)
})

test("long names come in a record of their own, in either dialect", () => {
  const name = `${"d/".repeat(70)}x.txt`
  const record = (length: number) => `${length} path=${name}\n`
  const pax = record(record(100).length)
  using folder = newTempFolder()
  const entries: ReadonlyArray<PackedEntry> = [
    { name: "pax_global_header", text: "52 comment=0123456789012345678901234567890123456789\n", type: "g" },
    { name: "PaxHeader", text: pax, type: "x" },
    { name: "cut", text: "pax" },
    { name: "././@LongLink", text: `e/${name}\0`, type: "L" },
    { name: "cut", text: "gnu" }
  ]
  expect(Either.getOrThrow(extract(folder.path, tar(entries)))).toEqual([name, `e/${name}`])
})

const bad: ReadonlyArray<readonly [string, ReadonlyArray<PackedEntry>, string]> = [
  ["a way out", [{ name: "../evil", text: "x" }], 'unsafe: the name "../evil" leads out of the folder'],
  ["a way out in the middle", [{ name: "a/../../evil", text: "x" }], "leads out of the folder"],
  ["an absolute name", [{ name: "/etc/evil", text: "x" }], "is absolute"],
  ["a drive", [{ name: "C:evil", text: "x" }], "is absolute"],
  ["a backslash", [{ name: "..\\evil", text: "x" }], "holds a backslash"],
  ["a control character", [{ name: "a\u001b[2J", text: "x" }], "holds control characters"],
  [
    "a file twice",
    [
      { name: "a", text: "1" },
      { name: "./a", text: "2" }
    ],
    'unsafe: it holds "a" twice'
  ],
  [
    "a file in a file",
    [
      { name: "a", text: "1" },
      { name: "a/b", text: "2" }
    ],
    "not-written:"
  ],
  ["nothing", [{ name: "a/" }], "unreadable: it holds no files"]
]

test.each(bad)("%s is refused in every form", (_, entries, fault) => {
  expect(faultOf(tarGz(entries))).toContain(fault)
  expect(faultOf(zip(entries))).toContain(fault)
})

test.each<[string, Uint8Array, string]>([
  ["a symbolic link", tar([{ name: "a", text: "", type: "2", link: "/etc" }]), 'unsafe: "a" is a link'],
  ["a hard link", tar([{ name: "a", text: "", type: "1", link: "/etc/passwd" }]), 'unsafe: "a" is a link'],
  ["a device", tar([{ name: "a", text: "", type: "3" }]), "is neither a file nor a folder"],
  ["a link in a zip", zip([{ name: "a", text: "/etc", mode: 0o120777 }]), 'unsafe: "a" is a link'],
  ["a pipe in a zip", zip([{ name: "a", text: "", mode: 0o010644 }]), "is neither a file nor a folder"],
  ["no archive", Buffer.from("hello"), "unreadable: it holds no files"],
  ["a long text", Buffer.from("hello ".repeat(200)), "unreadable: it is"],
  ["half a zip", zip(good).subarray(0, 60), "unreadable: it is damaged"],
  ["half a tar.gz", tarGz(good).subarray(0, 60), "unreadable: its compressed data is damaged"],
  ["half a tar", tar([{ name: "a", text: "x".repeat(900) }]).subarray(0, 700), "it ends in the middle of a file"]
])("%s is refused", (_, bytes, fault) => expect(faultOf(bytes)).toContain(fault))

test("bombs stop at the limit, by their bytes and by their entries", () => {
  const zeros = new Uint8Array(20_000_000)
  expect(faultOf(tarGz([{ name: "a", text: zeros }]))).toContain("too-large: it unpacks to more than")
  expect(faultOf(zip([{ name: "a", text: zeros }]))).toContain("too-large: it unpacks to more than")
  const half = new Uint8Array(600_000)
  expect(
    faultOf(
      zip([
        { name: "a", text: half },
        { name: "b", text: half }
      ])
    )
  ).toContain("too-large")
  const many = Array.from({ length: 51 }, (_, index) => ({ name: `f${index}`, text: "" }))
  expect(faultOf(zip(many))).toContain("too-large: it holds more than 50 entries")
})

test("a zip that lies about its sizes is damaged", () => {
  const bytes = Buffer.from(zip([{ name: "a", text: "x".repeat(1000) }]))
  const directory = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
  bytes.writeUInt32LE(10, directory + 24)
  expect(faultOf(bytes)).toMatch(/^(unreadable|too-large)/)
})

test("a pipe is not waited for, and a missing file is called missing", () => {
  using folder = newTempFolder()
  const faultAt = (name: string) =>
    Effect.runSync(Effect.flip(extractArchive(join(folder.path, name), join(folder.path, "out")))).detail
  Bun.spawnSync(["mkfifo", join(folder.path, "a.skill")])
  expect(faultAt("a.skill")).toBe("it is no regular file")
  expect(faultAt("b.skill")).toBe("there is no such file")
  expect(faultAt(".")).toBe("it is a folder")
})

test("nothing that is there already is written over, not even through a link", () => {
  using folder = newTempFolder()
  mkdirSync(join(folder.path, "elsewhere"))
  symlinkSync(join(folder.path, "elsewhere"), join(folder.path, "out"))
  expect(Either.isLeft(extract(folder.path, zip([{ name: "a", text: "x" }])))).toBe(true)
  expect(existsSync(join(folder.path, "elsewhere/a"))).toBe(false)
})

test("whatever an archive names, nothing is written outside its folder", () => {
  const part = fc.constantFrom("..", ".", "", "a", "b", "\\", "C:", "\0", "~")
  const name = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"))
  using folder = newTempFolder()
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.boolean(), (names, isZip) => {
      const entries = names.map((one) => ({ name: one, text: "x" }))
      extract(folder.path, isZip ? zip(entries) : tar(entries))
      const made = [...new Bun.Glob("**/*").scanSync({ cwd: folder.path, dot: true, onlyFiles: false })]
      expect(made.filter((path) => !/^(archive|out)(\/|$)/.test(path))).toEqual([])
      rmSync(join(folder.path, "out"), { recursive: true, force: true })
    })
  )
})
