import { describe, expect } from "bun:test"
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { readTrustedFolders, saveTrust } from "./trusted-folders-file.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "trusted-folders-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("reading", () => {
  it.effect("no file, or an empty one, means no rules", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "trustedFolders.json")
      expect(yield* readTrustedFolders(file)).toEqual([])
      writeFileSync(file, "")
      expect(yield* readTrustedFolders(file)).toEqual([])
    })
  )

  it.effect("rules point to real paths; comments are fine", () =>
    Effect.gen(function* () {
      const place = yield* folder
      mkdirSync(join(place, "real"))
      symlinkSync("real", join(place, "link"))
      const file = join(place, "trustedFolders.json")
      writeFileSync(file, `{ // mine\n  "${place}/link": "TRUST_FOLDER", "/gone": "DO_NOT_TRUST" }`)
      expect(yield* readTrustedFolders(file)).toEqual([
        { path: join(place, "link"), level: "TRUST_FOLDER", realPath: join(place, "real") },
        { path: "/gone", level: "DO_NOT_TRUST", realPath: "/gone" }
      ])
    })
  )

  for (const [name, text, fault] of [
    ["a bad level", '{\n  "/x": "TRUST_ME"\n}', ':2:9: /x: expected "TRUST_FOLDER", "TRUST_PARENT" or "DO_NOT_TRUST"'],
    ["broken JSON", "{", ':1:2: a "}" is missing here'],
    ["a list", "[]", ": must be one JSON object"]
  ] as const) {
    it.effect(`${name} is an error with its place`, () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "t.json")
        writeFileSync(file, text)
        const error = yield* Effect.flip(readTrustedFolders(file))
        expect(error.message).toBe(`Invalid configuration: ${file}${fault}`)
      })
    )
  }
})

describe("saving", () => {
  it.live("adds and changes rules, keeps comments, for the user alone", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "trustedFolders.json")
      yield* saveTrust(file, "/a", "TRUST_FOLDER")
      expect(statSync(file).mode & 0o777).toBe(0o600)
      writeFileSync(file, '{\n  // why\n  "/a": "TRUST_FOLDER"\n}\n')
      yield* saveTrust(file, "/b", "DO_NOT_TRUST")
      yield* saveTrust(file, "/a", "TRUST_PARENT")
      expect(readFileSync(file, "utf8")).toBe('{\n  // why\n  "/a": "TRUST_PARENT",\n  "/b": "DO_NOT_TRUST"\n}\n')
    })
  )

  it.live("makes the folder of the user where it is missing", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "new", "trustedFolders.json")
      yield* saveTrust(file, "/a", "TRUST_FOLDER")
      expect((yield* readTrustedFolders(file)).map(({ path }) => path)).toEqual(["/a"])
    })
  )

  it.live("many at once: none is lost", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "trustedFolders.json")
      const paths = Array.from({ length: 12 }, (_, index) => `/p${index}`)
      yield* Effect.forEach(paths, (path) => saveTrust(file, path, "TRUST_FOLDER"), { concurrency: "unbounded" })
      expect((yield* readTrustedFolders(file)).map(({ path }) => path).sort()).toEqual(paths.sort())
    })
  )

  it.live("a file that is not understood is left alone", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "trustedFolders.json")
      writeFileSync(file, "{ broken")
      const error = yield* Effect.flip(saveTrust(file, "/a", "TRUST_FOLDER"))
      expect(error._tag).toBe("ConfigError")
      expect(readFileSync(file, "utf8")).toBe("{ broken")
    })
  )
})
