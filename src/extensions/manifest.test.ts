import { expect } from "bun:test"
import { Effect, Either } from "effect"
import { fullExtension } from "../../test/kit/extension-room.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import { formatIssue } from "../config/config-error.ts"
import { inspectManifest, readManifest } from "./read-manifest.ts"

const inspect = (text: string) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder({ "gemini-extension.json": text })
    const read = yield* inspectManifest(folder)
    return Either.isLeft(read) ? read.left.map((issue) => formatIssue(issue).replace(`${folder}/`, "")) : []
  })

it.effect("all fields are read, and a server cannot trust itself", () =>
  Effect.gen(function* () {
    const manifest = yield* readManifest(yield* tempFolder(fullExtension("1.0.0")))
    expect(manifest.name).toBe("full")
    expect(manifest.mcpServers?.notes).not.toHaveProperty("trust")
    expect(manifest.settings?.[1]).toMatchObject({ envVar: "FULL_TOKEN", sensitive: true })
    expect(manifest.plan?.directory).toBe("plans")
    expect(manifest.themes?.[0]?.name).toBe("dusk")
  })
)

it.effect("comments are fine, and names that reach a prototype are dropped", () =>
  Effect.gen(function* () {
    const text = '{ // mine\n "name": "x", "version": "1", "mcpServers": { "__proto__": { "command": "evil" } }, }'
    const manifest = yield* readManifest(yield* tempFolder({ "gemini-extension.json": text }))
    expect(Object.keys(manifest.mcpServers ?? {})).toEqual([])
  })
)

const faults: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["", ["gemini-extension.json: is empty"]],
  ["[1]", ["gemini-extension.json:1:1: must be one JSON object"]],
  ['{\n  "name": "x"\n}', ["gemini-extension.json:1:1: version: is missing and must be there"]],
  [
    '{\n  "name": "a b",\n  "version": "1"\n}',
    ["gemini-extension.json:2:11: name: expected a name of letters, digits and -"]
  ],
  [
    '{ "name": "../up", "version": "1" }',
    ["gemini-extension.json:1:11: name: expected a name of letters, digits and -"]
  ],
  [
    '{ "name": "x",\n  "version": 1,\n  "excludeTools": "all",\n  "settings": [{ "name": "n", "description": "d", "envVar": "1-2" }] }',
    [
      "gemini-extension.json:2:14: version: expected a string",
      "gemini-extension.json:3:19: excludeTools: expected a list of strings",
      "gemini-extension.json:4:61: settings.0.envVar: expected the name of a variable: letters, digits and _"
    ]
  ],
  ['{ "name": "x" "version": "1" }', ['gemini-extension.json:1:15: a "," is expected here']]
]

for (const [text, expected] of faults) {
  it.effect(`what is wrong in ${JSON.stringify(text)} is told with its place`, () =>
    Effect.map(inspect(text), (found) => expect(found).toEqual([...expected]))
  )
}

it.effect("a folder without a manifest is no extension", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(readManifest(yield* tempFolder()))
    expect(error.message).toContain("gemini-extension.json: is missing")
  })
)
