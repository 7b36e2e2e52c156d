/** Settings files as they are found in the world. A broken one is named, with the line; nothing hangs. */

import { describe, expect, test } from "bun:test"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { documentOf } from "./kit/documents.ts"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { asNobody, testWith } from "./kit/needs.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type RunOptions, type Workspace } from "./kit/run-gemini.ts"

const SETTINGS = "home/.gemini/settings.json"

/** A run with this settings file of the user. */
const runWith = async (content: string | Uint8Array, args: ReadonlyArray<string> = ["-p", "hi"]) => {
  await using server = await startModelServer(() => say("ok"))
  await using place = await newWorkspace()
  await place.write(SETTINGS, content)
  const result = await place.run(args, { server })
  return { result, models: server.generations.map((request) => request.model) }
}

describe("read", () => {
  test.each([
    ["comments", '// mine\n{ /* name */ "model": { "name": "chosen" } }'],
    ["trailing commas", '{ "model": { "name": "chosen", }, }'],
    ["a byte order mark", '\ufeff{ "model": { "name": "chosen" } }'],
    ["carriage returns", '{\r\n  "model": {\r\n    "name": "chosen"\r\n  }\r\n}\r\n'],
    ["the old flat name", '{ "model": "chosen" }'],
    ["settings of a full-screen UI", '{ "ui": { "theme": "Ayu", "hideBanner": true }, "model": { "name": "chosen" } }'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file holds it as it stands.
    ["a variable", '{ "model": { "name": "${WANTED_MODEL:-chosen}" } }']
  ])("%s", async (_, content) => {
    const { models, result } = await runWith(content)
    expect(result).toEqual({ stdout: "ok\n", stderr: "", exitCode: 0 })
    expect(models).toEqual(["chosen"])
  })

  test("an empty file counts as no settings, or is named; never a crash", async () => {
    const { result } = await runWith("")
    expect([0, 52]).toContain(result.exitCode)
  })

  test("duplicate keys: the last one counts, and the line is told", async () => {
    const { models, result } = await runWith('{\n  "model": { "name": "first" },\n  "model": { "name": "second" }\n}')
    expect(models).toEqual(["second"])
    expect(result.stderr).toMatch(/settings\.json:3.*model/)
  })

  test("an unknown key is a warning that names it", async () => {
    const { result } = await runWith('{ "modle": { "name": "x" } }')
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(result.stderr).toContain("modle")
  })

  test("a wrong type is ignored, and named with file, line and key", async () => {
    const { result } = await runWith('{\n  "general": {\n    "maxAttempts": "many"\n  }\n}')
    expect(result).toMatchObject({ stdout: "ok\n", exitCode: 0 })
    expect(result.stderr).toMatch(/settings\.json:3.*general\.maxAttempts/)
  })
})

describe("refused with exit 52", () => {
  const invalid: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["broken JSON", '{\n  "model": {\n', /settings\.json:\d+/],
    ["not an object", "[1, 2]", /settings\.json/],
    [
      "a wrong type under security",
      '{\n  "security": { "disableYoloMode": "perhaps" }\n}',
      /settings\.json:2.*disableYoloMode/
    ],
    ["a wrong type in tools.exclude", '{ "tools": { "exclude": 5 } }', /settings\.json:1.*tools\.exclude/]
  ]

  test.each(invalid)("%s: text", async (_, content, pattern) => {
    const { result } = await runWith(content)
    expectFailure(result, 52)
    expect(result.stderr).toMatch(pattern)
    expect(result.stdout).toBe("")
  })

  test.each(invalid)("%s: json and stream-json", async (_, content) => {
    const json = await runWith(content, ["-p", "hi", "-o", "json"])
    expectFailureDocument(json.result, 52, {
      completion_reason: "config",
      error: expect.objectContaining({ type: "FatalConfigError", code: 52 })
    })
    expect(documentOf(json.result)).not.toHaveProperty("stats")
    const stream = await runWith(content, ["-p", "hi", "-o", "stream-json"])
    expectFailureEvents(stream.result, 52, { completion_reason: "config" })
  })

  test("50 MB", async () => {
    const { result } = await runWith(`{ "junk": "${"x".repeat(50_000_000)}" }`)
    expectFailure(result, 52, "settings.json")
    expect(result.stderr.length).toBeLessThan(2000)
  })
})

describe("not a file that can be read: exit 52, named", () => {
  const attempt = async (prepare: (place: Workspace) => Promise<string | undefined>) => {
    await using server = await startModelServer(() => say("ok"))
    await using place = await newWorkspace()
    const options: RunOptions = { server }
    const script = await prepare(place)
    return script === undefined ? await place.run(["-p", "hi"], options) : await place.shell(script, options)
  }

  test("a folder", async () => {
    const result = await attempt(async (place) => {
      await mkdir(join(place.root, SETTINGS), { recursive: true })
      return undefined
    })
    expectFailure(result, 52, "settings.json")
  })

  test("a FIFO", async () => {
    const result = await attempt(async (place) => {
      await mkdir(join(place.home, ".gemini"))
      return 'mkfifo "$HOME/.gemini/settings.json" && "$GEMINI" -p hi'
    })
    expectFailure(result, 52, "settings.json")
  })

  testWith(...asNobody)("no permission", async () => {
    const result = await attempt(async (place) => {
      await place.write(SETTINGS, "{}")
      return place.unprivileged('chmod 000 "$HOME/.gemini/settings.json"', '"$GEMINI" -p hi')
    })
    expectFailure(result, 52, "settings.json")
  })
})

test("config get works on a file that stops a run", async () => {
  await using place = await newWorkspace()
  await place.write(SETTINGS, '{ "tools": { "exclude": 5 }, "model": { "name": "kept" } }')
  expect(await place.run(["config", "get", "model.name"])).toMatchObject({ stdout: "kept\n", exitCode: 0 })
})

test("nothing is written at start", async () => {
  await using server = await startModelServer([say("ok")])
  await using place = await newWorkspace()
  await place.write(SETTINGS, '{ "general": { "disableAutoUpdate": true } }')
  await place.run(["-p", "hi"], { server })
  expect(await place.read(SETTINGS)).toBe('{ "general": { "disableAutoUpdate": true } }')
})
