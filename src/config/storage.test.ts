import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { it } from "../../test/kit/it.ts"
import { freeSlug, projectHashOf, slugOf } from "./project-registry.ts"
import { makeStorage } from "./storage.ts"

const newHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "storage-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The data folder of a project, below `tmp`. */
const claim = (home: string, cwd: string) =>
  makeStorage({ home, cwd, platform: "linux" }).pipe(Effect.flatMap((storage) => storage.projectTempDir))

const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const Registry = Schema.parseJson(
  Schema.Struct({ projects: Schema.Record({ key: Schema.String, value: Schema.String }) })
)
const registryOf = (home: string) =>
  Schema.decodeUnknownSync(Registry)(readFileSync(join(home, ".gemini", "projects.json"), "utf8")).projects

describe("short names", () => {
  test.each<[string, string]>([
    ["/work/My App", "my-app"],
    ["/work/__x__", "x"],
    ["/work/ünï", "n"],
    ["/work/日本", "project"],
    ["/", "project"],
    ["/work/a--b..c", "a-b-c"]
  ])("%s is %s", (folder, slug) => expect(slugOf(folder)).toBe(slug))

  test("taken ones get a number", () => {
    const taken = new Set(["app", "app-1"])
    expect(freeSlug("/x/app", (slug) => taken.has(slug))).toBe("app-2")
  })
})

describe("the folder of a project", () => {
  it.live("is registered and marked at the first use, and the same ever after", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const first = yield* claim(home, "/work/app")
      expect(first).toBe(join(home, ".gemini", "tmp", "app"))
      expect(registryOf(home)).toEqual({ "/work/app": "app" })
      for (const root of ["tmp", "history"]) {
        expect(readFileSync(join(home, ".gemini", root, "app", ".project_root"), "utf8")).toBe("/work/app")
      }
      expect(yield* claim(home, "/work/app")).toBe(first)
      expect(readdirSync(join(home, ".gemini")).sort()).toEqual(["history", "projects.json", "tmp"])
    })
  )

  it.live("asking for paths alone writes nothing", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const storage = yield* makeStorage({ home, cwd: "/work/app", platform: "linux" })
      expect(storage.userSettingsFile).toBe(join(home, ".gemini", "settings.json"))
      expect(storage.projectHash()).toBe(projectHashOf("/work/app"))
      expect(readdirSync(home)).toEqual([])
    })
  )

  it.live("projects of the same name get folders of their own, also when they start together", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const paths = Array.from({ length: 6 }, (_, index) => `/work/${index}/app`)
      const folders = yield* Effect.forEach(paths, (path) => claim(home, path), { concurrency: "unbounded" })
      expect(new Set(folders).size).toBe(6)
      expect(Object.keys(registryOf(home)).sort()).toEqual(paths)
    })
  )

  it.live("an empty registry of others is completed", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      put(join(home, ".gemini", "projects.json"), '{"projects":{}}')
      expect(yield* claim(home, "/work/app")).toEndWith("/tmp/app")
    })
  )

  for (const [name, text] of [
    ["lost", undefined],
    ["broken", "{ half"],
    ["of another shape", "[]"]
  ] as const) {
    it.live(`a registry that is ${name} is rebuilt from the markers`, () =>
      Effect.gen(function* () {
        const home = yield* newHome
        put(join(home, ".gemini", "tmp", "old-name", ".project_root"), "/work/app")
        if (text !== undefined) put(join(home, ".gemini", "projects.json"), text)
        expect(yield* claim(home, "/work/app")).toEndWith("/tmp/old-name")
        expect(registryOf(home)).toEqual({ "/work/app": "old-name" })
      })
    )
  }

  it.live("an entry that the marker contradicts is given up", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      put(join(home, ".gemini", "projects.json"), '{"projects":{"/work/app":"app"}}')
      put(join(home, ".gemini", "tmp", "app", ".project_root"), "/elsewhere/app")
      expect(yield* claim(home, "/work/app")).toEndWith("/tmp/app-1")
      expect(readFileSync(join(home, ".gemini", "tmp", "app", ".project_root"), "utf8")).toBe("/elsewhere/app")
    })
  )

  it.live("an entry that leads out of the data folder is given up", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      put(join(home, ".gemini", "projects.json"), '{"projects":{"/work/app":"../../evil"}}')
      expect(yield* claim(home, "/work/app")).toEndWith("/tmp/app")
    })
  )

  it.live("our own folders and unmarked ones with content are not taken", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      put(join(home, ".gemini", "tmp", "app", "notes"), "x")
      expect(yield* claim(home, "/work/app")).toEndWith("/tmp/app-1")
      expect(yield* claim(home, "/usr/bin")).toEndWith("/tmp/bin-1")
    })
  )

  it.live("data under the old name by hash moves in, without overwriting", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const legacy = join(home, ".gemini", "tmp", projectHashOf("/work/app"))
      put(join(legacy, "chats", "one.json"), "old chat")
      const folder = yield* claim(home, "/work/app")
      expect(readFileSync(join(folder, "chats", "one.json"), "utf8")).toBe("old chat")
      expect(existsSync(legacy)).toBe(false)
    })
  )
})

describe("nowhere to write", () => {
  it.live("no home folder: a plain word, and only when something must be written", () =>
    Effect.gen(function* () {
      const storage = yield* makeStorage({ home: undefined, cwd: "/work/app", platform: "linux" })
      expect(existsSync(storage.userSettingsFile)).toBe(false)
      const error = yield* Effect.flip(storage.projectTempDir)
      expect(error.message).toContain("set HOME, or GEMINI_CLI_HOME")
    })
  )

  it.live("a home that cannot be written", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(claim("/proc/self", "/work/app"))
      expect(error.kind).toBe("write")
      expect(error.message).toContain("/proc/self/.gemini cannot be written")
    })
  )
})
