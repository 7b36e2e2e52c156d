import { expect } from "bun:test"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../../test/kit/it.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"
import { addTrusted, readTrusted, saveTrusted } from "./trusted-programs-file.ts"

it.live("what is confirmed takes the place of what was; other projects and entries of other programs stay", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "store.json": JSON.stringify({ "/a": ["name:command", "sha256:old"] }) })
    const file = join(root, "store.json")
    yield* Effect.all([saveTrusted(file, "/a", ["sha256:new"]), saveTrusted(file, "/b", ["sha256:b"])], {
      concurrency: "unbounded"
    })
    expect(yield* Effect.promise(() => Bun.file(file).json())).toEqual({
      "/a": ["name:command", "sha256:new"],
      "/b": ["sha256:b"]
    })
    expect(readTrusted(file, "/a")).toEqual(new Set(["sha256:new"]))
    expect(readTrusted(file, "/c")).toBeUndefined()
    yield* addTrusted(file, "/a", "server:sha256:one")
    yield* addTrusted(file, "/a", "server:sha256:one")
    expect(readTrusted(file, "/a")).toEqual(new Set(["sha256:new", "server:sha256:one"]))
    yield* saveTrusted(file, "/a", ["command:sha256:two"])
    expect(readTrusted(file, "/a")).toEqual(new Set(["command:sha256:two"]))
  })
)

it.live("a place that cannot be written is told, whatever stands in the way", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ file: "" })
    const error = yield* Effect.flip(saveTrusted(join(root, "file/store.json"), "/a", []))
    expect(error.message).toContain("cannot be written")
  })
)
