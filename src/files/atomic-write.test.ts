import { expect } from "bun:test"
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { writeAtomically } from "./atomic-write.ts"

const text = (value: string) => new TextEncoder().encode(value)
const MODULE = join(import.meta.dir, "atomic-write.ts")

/** Runs one write in a process of its own, under `wrapper`. */
const writeInChild = (file: string, content: string, wrapper: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const program = `
      const { writeAtomically } = await import(${JSON.stringify(MODULE)})
      const { Effect } = await import("effect")
      const result = await Effect.runPromise(Effect.either(writeAtomically(${JSON.stringify(file)}, new TextEncoder().encode(${JSON.stringify(content)}))))
      process.stdout.write(result._tag === "Left" ? result.left.kind : "written")`
    const child = Bun.spawn([...wrapper, process.execPath, "-e", program], { stdout: "pipe", stderr: "ignore" })
    return { output: await new Response(child.stdout).text(), exitCode: await child.exited }
  })

it.live("a new file is created, an old one replaced, nothing left behind", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const file = join(root, "a.txt")
    expect(yield* writeAtomically(file, text("one"))).toMatchObject({ isNewFile: true, brokeHardLink: false })
    expect(yield* writeAtomically(file, text("two"))).toMatchObject({ isNewFile: false, changedOwner: false })
    expect(readFileSync(file, "utf8")).toBe("two")
    expect(readdirSync(root)).toEqual(["a.txt"])
  })
)

it.live("permission bits and owner are kept", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "run.sh": "old" })
    const file = join(root, "run.sh")
    chmodSync(file, 0o751)
    if (process.getuid?.() === 0) chownSync(file, 1234, 2345)
    const before = statSync(file)
    yield* writeAtomically(file, text("new"))
    const { gid, mode, uid } = statSync(file)
    expect({ gid, mode, uid }).toEqual({ gid: before.gid, mode: before.mode, uid: before.uid })
  })
)

it.live("a hard link is broken, and that is said", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ a: "old" })
    linkSync(join(root, "a"), join(root, "b"))
    expect(yield* writeAtomically(join(root, "a"), text("new"))).toMatchObject({ brokeHardLink: true })
    expect(readFileSync(join(root, "b"), "utf8")).toBe("old")
  })
)

it.live("folders, links, pipes and missing parents have their own kind of failure", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ file: "x" })
    mkdirSync(join(root, "folder"))
    symlinkSync("file", join(root, "link"))
    yield* Effect.promise(() => Bun.spawn(["mkfifo", join(root, "pipe")]).exited)
    const kindOf = (name: string) =>
      writeAtomically(join(root, name), text("y")).pipe(
        Effect.flip,
        Effect.map((error) => error.kind)
      )
    expect(yield* kindOf("folder")).toBe("is-directory")
    expect(yield* kindOf("link")).toBe("moved")
    expect(yield* kindOf("pipe")).toBe("not-regular")
    expect(yield* kindOf("no/where")).toBe("not-found")
    expect(yield* kindOf("file/below")).toBe("not-a-directory")
    expect(readdirSync(root).sort()).toEqual(["file", "folder", "link", "pipe"])
  })
)

it.live("missing parents are made when asked for", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    yield* writeAtomically(join(root, "a/b/c.txt"), text("deep"), { makeParents: true })
    expect(readFileSync(join(root, "a/b/c.txt"), "utf8")).toBe("deep")
  })
)

it.live("a parent that became a link is refused", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const outside = yield* tempFolder()
    symlinkSync(outside, join(root, "sub"))
    const error = yield* Effect.flip(writeAtomically(join(root, "sub/new.txt"), text("x"), { makeParents: true }))
    expect(["moved", "loop", "not-a-directory"]).toContain(error.kind)
    expect(readdirSync(outside)).toEqual([])
  })
)

it.liveWith("setpriv")("a read-only file is not replaced by someone who may not write it", () =>
  Effect.gen(function* () {
    if (process.getuid?.() !== 0) return
    const root = yield* tempFolder({ file: "old" })
    chmodSync(root, 0o777)
    chmodSync(join(root, "file"), 0o444)
    const child = yield* writeInChild(join(root, "file"), "new", ["setpriv", "--reuid=65534", "--clear-groups"])
    expect(child.output).toBe("permission-denied")
    expect(readFileSync(join(root, "file"), "utf8")).toBe("old")
  })
)

it.liveWith("strace")("a full disk leaves the old file and no temporary one", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ file: "old" })
    const child = yield* writeInChild(join(root, "file"), "new", strace("fsync:error=ENOSPC"))
    expect(child.output).toBe("no-space")
    expect(readdirSync(root)).toEqual(["file"])
    expect(readFileSync(join(root, "file"), "utf8")).toBe("old")
  })
)

for (const moment of ["fsync:signal=KILL:when=1", "/rename:signal=KILL:when=1", "fsync:signal=KILL:when=2"])
  it.liveWith("strace")(`a kill at ${moment} leaves the old or the new file`, () =>
    Effect.gen(function* () {
      const root = yield* tempFolder()
      const file = join(root, "file")
      writeFileSync(file, "old")
      const child = yield* writeInChild(file, "new", strace(moment))
      expect(child.output).toBe("")
      expect(existsSync(file)).toBe(true)
      expect(["old", "new"]).toContain(readFileSync(file, "utf8"))
    })
  )

const strace = (inject: string) => ["strace", "-f", "-o", "/dev/null", "-e", `inject=${inject}`]
