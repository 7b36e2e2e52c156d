import { describe, expect } from "bun:test"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { undoRoom } from "../../../test/kit/undo-room.ts"
import { TREE_LIMITS } from "./refresh-tree.ts"

const FILES = { "a.txt": "a\n", "src/b.ts": "b\n" }

const cacheOf = (base: string) => join(base, "home/history/undo/cache/shared")
const runsOf = (base: string) => join(base, "home/history/undo/runs")

describe("limits", () => {
  for (const [what, limits, why] of [
    ["too many files", { ...TREE_LIMITS, maxEntries: 2 }, "the folder has more than 2 files"],
    ["too much content", { ...TREE_LIMITS, maxBytes: 1 }, "the folder has more than 0 MiB to keep"],
    ["too little time", { ...TREE_LIMITS, maxMs: -1 }, "looking through the folder takes longer than 0 s"]
  ] as const) {
    it.live(`${what}: the commands run, one line says that they are not covered, edits still are`, () =>
      Effect.gen(function* () {
        const room = yield* undoRoom({ files: FILES, recorder: { limits } })
        yield* room.run("big", ({ edit, shell }) =>
          Effect.gen(function* () {
            yield* shell("echo 1 > new.txt")
            yield* shell("echo 2 > new.txt")
            yield* edit("a.txt", (path) => writeFileSync(path, "edited"))
          })
        )
        expect(room.told).toEqual([`gemini undo cannot take back what shell commands of this run change: ${why}`])
        expect(readFileSync(join(room.root, "new.txt"), "utf8")).toBe("2\n")
        yield* room.undo.apply(yield* room.undo.plan({ force: false }))
        expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("a\n")
      })
    )
  }

  it.live("old runs go, and the oldest of too many bytes; what is not a run stays", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES, recorder: { retention: { maxAgeMs: 3_600_000, maxBytes: 4000 } } })
      const change = (text: string) => room.run(text, ({ edit }) => edit("a.txt", (path) => writeFileSync(path, text)))
      yield* change("1")
      const [first = ""] = readdirSync(runsOf(room.base))
      utimesSync(join(runsOf(room.base), first, "journal.jsonl"), 1, 1)
      mkdirSync(join(runsOf(room.base), "notes"))
      yield* change("2")
      expect((yield* room.undo.list).map(({ run }) => run.title)).toEqual(["2"])
      for (let count = 3; count < 12; count++) yield* change("x".repeat(count))
      const left = readdirSync(runsOf(room.base))
      expect(left.length).toBeLessThan(8)
      expect(left).toContain("notes")
      expect((yield* room.undo.list)[0]?.run.title).toBe("x".repeat(11))
    })
  )
})

describe("a cache that cannot be used", () => {
  for (const [name, damage] of [
    ["a table that was cut", (cache: string) => truncateSync(join(cache, "table"), 30)],
    ["a table of something else", (cache: string) => writeFileSync(join(cache, "table"), "x\0".repeat(100))],
    ["lost content", (cache: string) => truncateSync(join(cache, "contents"), 10)],
    ["no content at all", (cache: string) => rmSync(join(cache, "contents"))],
    ["another key", (cache: string) => writeFileSync(join(cache, "../../key"), "k".repeat(32))]
  ] as const) {
    it.live(`${name}: is made anew or passed over, and later runs are covered`, () =>
      Effect.gen(function* () {
        const room = yield* undoRoom({ files: FILES })
        yield* room.run("one", ({ shell }) => shell("echo 1 > one.txt"))
        damage(cacheOf(room.base))
        // Content that is read anew stands in the cache as it should.
        room.bash("echo changed > a.txt; echo changed > src/b.ts")
        const before = room.fingerprint()
        yield* room.run("two", ({ shell }) => shell("rm -r a.txt src; echo 2 > two.txt"))
        const plan = yield* room.undo.plan({ force: false })
        yield* room.undo.apply(plan)
        expect(room.fingerprint()).toEqual(before)
        expect(room.told).toEqual([])
      })
    )
  }

  it.live("a file in place of the folder: the run goes on without cover, and says so", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      writeFileSync(join(room.base, "home/history"), "")
      yield* room.run("one", ({ edit, shell }) =>
        Effect.all([shell("echo 1 > one.txt"), edit("a.txt", (path) => writeFileSync(path, "2"))])
      )
      expect(room.told[0]).toContain("gemini undo cannot take back")
      expect(readFileSync(join(room.root, "one.txt"), "utf8")).toBe("1\n")
    })
  )

  it.live("two processes in one folder do not disturb each other", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      const before = room.fingerprint()
      yield* room.run("outer", (outer) =>
        Effect.gen(function* () {
          yield* outer.shell("echo outer > outer.txt")
          yield* room.run("inner", (inner) => inner.shell("echo inner >> src/b.ts"))
          yield* outer.shell("echo outer >> a.txt")
        })
      )
      expect(readdirSync(join(room.base, "home/history/undo/cache"))).toEqual(["shared"])
      const ids = (yield* room.undo.list).map(({ run }) => run.title)
      expect(ids.sort()).toEqual(["inner", "outer"])
      for (let count = 0; count < 2; count++) yield* room.undo.apply(yield* room.undo.plan({ force: false }))
      expect(room.fingerprint()).toEqual(before)
    })
  )
})

describe("journals", () => {
  it.live("cut at any byte are read as far as they go", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      yield* room.run("one", ({ edit }) => edit("a.txt", (path) => writeFileSync(path, "2")))
      const file = join(runsOf(room.base), "0b6c9a52-1/journal.jsonl")
      const whole = readFileSync(file)
      for (let length = 0; length < whole.length; length += 7) {
        writeFileSync(file, whole.subarray(0, length))
        yield* Effect.either(room.undo.plan({ force: true }))
        expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("2")
      }
      writeFileSync(file, whole)
      yield* room.undo.apply(yield* room.undo.plan({ force: false }))
      expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("a\n")
    })
  )

  it.live("contents that were damaged are noticed, and nothing is overwritten with them", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: FILES })
      yield* room.run("one", ({ edit }) => edit("a.txt", (path) => writeFileSync(path, "2")))
      const file = join(runsOf(room.base), "0b6c9a52-1/contents")
      writeFileSync(file, readFileSync(file).fill(7, 30))
      const result = yield* room.undo.apply(yield* room.undo.plan({ force: false }))
      expect(result.failed.map(({ path }) => path)).toEqual([join(room.root, "a.txt")])
      expect(readFileSync(join(room.root, "a.txt"), "utf8")).toBe("2")
    })
  )

  it.live("paths behind a link that was put in place of a folder are not written", () =>
    Effect.gen(function* () {
      const room = yield* undoRoom({ files: { ...FILES, "../outside/keep": "" } })
      yield* room.run("one", ({ edit }) => edit("src/b.ts", (path) => writeFileSync(path, "2")))
      room.bash("mv src elsewhere; ln -s ../outside src; printf 2 > ../outside/b.ts")
      const result = yield* room.undo.apply(yield* room.undo.plan({ force: true }))
      expect(result.failed).toHaveLength(1)
      expect(readFileSync(join(room.base, "outside/b.ts"), "utf8")).toBe("2")
      expect(existsSync(join(room.root, "elsewhere/b.ts"))).toBe(true)
    })
  )
})
