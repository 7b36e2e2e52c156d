import { expect } from "bun:test"
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { writeFileAtomic } from "./atomic-write.ts"

const folderOf = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "atomic-write-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

it.effect("makes folders and a new file with the given mode", () =>
  Effect.gen(function* () {
    const file = join(yield* folderOf, "a", "b", "new.json")
    expect(yield* writeFileAtomic({ file, content: "x", mode: 0o600 })).toEqual({ brokeHardLink: false })
    expect(readFileSync(file, "utf8")).toBe("x")
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
)

it.effect("keeps the mode of the old file and leaves nothing beside it", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf
    const file = join(folder, "old")
    writeFileSync(file, "old", { mode: 0o640 })
    yield* writeFileAtomic({ file, content: new Uint8Array([110, 101, 119]), mode: 0o600 })
    expect(readFileSync(file, "utf8")).toBe("new")
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(["old"])
  })
)

it.effect("a symbolic link stays one, also when its target is to come", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf
    mkdirSync(join(folder, "real"))
    symlinkSync("real/target", join(folder, "link"))
    yield* writeFileAtomic({ file: join(folder, "link"), content: "first" })
    yield* writeFileAtomic({ file: join(folder, "link"), content: "second" })
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, "real", "target"), "utf8")).toBe("second")
  })
)

it.effect("says when another name of the file keeps the old content", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf
    writeFileSync(join(folder, "one"), "old")
    linkSync(join(folder, "one"), join(folder, "two"))
    expect(yield* writeFileAtomic({ file: join(folder, "one"), content: "new" })).toEqual({ brokeHardLink: true })
    expect(readFileSync(join(folder, "two"), "utf8")).toBe("old")
  })
)

it.effect("fails with the system's word and leaves nothing behind", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf
    mkdirSync(join(folder, "taken", "inside"), { recursive: true })
    const onFolder = yield* Effect.flip(writeFileAtomic({ file: join(folder, "taken"), content: "x" }))
    expect(["EISDIR", "ENOTEMPTY", "EEXIST"]).toContain(onFolder.code)
    expect(readdirSync(folder)).toEqual(["taken"])
    const noFolder = yield* Effect.flip(writeFileAtomic({ file: "/dev/null/x", content: "x" }))
    expect(noFolder.message).toContain("/dev/null/x cannot be written (")
  })
)

it.effect("a pipe or a device is refused, and stays what it is", () =>
  Effect.gen(function* () {
    const file = join(yield* folderOf, "pipe")
    Bun.spawnSync(["mkfifo", file])
    const refused = yield* Effect.flip(writeFileAtomic({ file, content: "x" }))
    expect(refused.message).toBe(`${file} cannot be written (it is no regular file)`)
    expect(lstatSync(file).isFIFO()).toBe(true)
  })
)

it.effect("a name of the greatest length is fine", () =>
  Effect.gen(function* () {
    const file = join(yield* folderOf, "n".repeat(255))
    yield* writeFileAtomic({ file, content: "x" })
    expect(readFileSync(file, "utf8")).toBe("x")
  })
)
