import { expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { it } from "../../test/kit/it.ts"
import { removeSetting, storeSetting } from "./edit-settings.ts"
import type { SettingsFile } from "./settings-files.ts"

const target = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "edit-settings-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (folder): SettingsFile => ({ scope: "user", file: join(folder, "settings.json") })
)

const holding = (text: string) => Effect.tap(target, ({ file }) => Effect.sync(() => writeFileSync(file, text)))

it.live("a new file is for the user alone", () =>
  Effect.gen(function* () {
    const place = yield* target
    expect(yield* storeSetting(place, { key: "model.name", inside: [] }, "x")).toBe(true)
    expect(readFileSync(place.file, "utf8")).toBe('{\n  "model": {\n    "name": "x"\n  }\n}\n')
    expect(statSync(place.file).mode & 0o777).toBe(0o600)
    expect(yield* storeSetting(place, { key: "model.name", inside: [] }, "x")).toBe(false)
  })
)

it.live("an older name gives way to the present one", () =>
  Effect.gen(function* () {
    const place = yield* holding('{\n  "coreTools": ["a"], // old\n  "vimMode": true\n}\n')
    yield* storeSetting(place, { key: "tools.core", inside: [] }, ["b"])
    const text = readFileSync(place.file, "utf8")
    expect(text).not.toContain("coreTools")
    expect(text).toContain("// old")
    expect(JSON.parse(text.replace("// old", ""))).toEqual({ vimMode: true, tools: { core: ["b"] } })
  })
)

it.live("an older name that stands where a group must be moves away, with its value", () =>
  Effect.gen(function* () {
    const place = yield* holding('{ "model": "kept" }\n')
    yield* storeSetting(place, { key: "model.maxSessionTurns", inside: [] }, 5)
    expect(JSON.parse(readFileSync(place.file, "utf8"))).toEqual({ model: { name: "kept", maxSessionTurns: 5 } })
  })
)

it.live("a place inside a value that was a short form", () =>
  Effect.gen(function* () {
    const place = yield* holding('{ "telemetry": true }\n')
    yield* storeSetting(place, { key: "telemetry", inside: ["outfile"] }, "/x")
    expect(JSON.parse(readFileSync(place.file, "utf8"))).toEqual({ telemetry: { enabled: true, outfile: "/x" } })
    yield* removeSetting(place, { key: "telemetry", inside: ["enabled"] })
    expect(JSON.parse(readFileSync(place.file, "utf8"))).toEqual({ telemetry: { outfile: "/x" } })
  })
)

it.live("removing takes the key away under all its names", () =>
  Effect.gen(function* () {
    const place = yield* holding('{ "coreTools": ["a"], "tools": { "core": ["b"], "useRipgrep": true } }')
    expect(yield* removeSetting(place, { key: "tools.core", inside: [] })).toBe(true)
    expect(JSON.parse(readFileSync(place.file, "utf8"))).toEqual({ tools: { useRipgrep: true } })
    expect(yield* removeSetting(place, { key: "tools.core", inside: [] })).toBe(false)
  })
)

it.live("servers that stand in a list can be added to and taken away by name", () =>
  Effect.gen(function* () {
    const place = yield* holding('{ "mcpServers": [{ "name": "a", "command": "x" }, { "name": "b", "command": "y" }] }')
    yield* storeSetting(place, { key: "mcpServers", inside: ["c"] }, { command: "z" })
    const servers = () => JSON.parse(readFileSync(place.file, "utf8")).mcpServers
    expect(servers()).toEqual({ a: { command: "x" }, b: { command: "y" }, c: { command: "z" } })
    yield* Effect.sync(() => writeFileSync(place.file, '{ "mcpServers": [{ "name": "a", "command": "x" }] }'))
    expect(yield* removeSetting(place, { key: "mcpServers", inside: ["none"] })).toBe(false)
    expect(yield* removeSetting(place, { key: "mcpServers", inside: ["a"] })).toBe(true)
    expect(servers() ?? {}).toEqual({})
  })
)

it.live("a broken file is left as it is", () =>
  Effect.gen(function* () {
    const place = yield* holding("{ broken")
    const error = yield* Effect.flip(storeSetting(place, { key: "model.name", inside: [] }, "x"))
    expect(error._tag).toBe("ConfigError")
    expect(readFileSync(place.file, "utf8")).toBe("{ broken")
  })
)

it.live("many changes at once: none is lost", () =>
  Effect.gen(function* () {
    const place = yield* holding("{}")
    const names = Array.from({ length: 10 }, (_, index) => `s${index}`)
    const store = (name: string) => storeSetting(place, { key: "mcpServers", inside: [name, "command"] }, name)
    yield* Effect.forEach(names, store, { concurrency: "unbounded" })
    const stored = Object.fromEntries(names.map((name) => [name, { command: name }]))
    expect(JSON.parse(readFileSync(place.file, "utf8"))).toEqual({ mcpServers: stored })
  })
)
