/** `gemini schema`: the contract of what programs read and write here, and files that are held to it. */
import { describe, expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

test("alone it lists the schemas; each is JSON Schema 2020-12 with an id of this version", async () => {
  await using place = await newWorkspace()
  const listed: ReadonlyArray<{ name: string }> = JSON.parse((await place.run(["schema", "--json"])).stdout)
  const { stdout: version } = await place.run(["--version"])
  expect(listed.map(({ name }) => name)).toContain("stream-json")
  for (const { name } of listed) {
    const { exitCode, stdout } = await place.run(["schema", name])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: `urn:gemini:${version.trim()}:${name}`
    })
  }
})

test("what a run prints fits, and says its version; a document that lost a field does not", async () => {
  await using server = await startModelServer([say("x"), say("y")])
  await using place = await newWorkspace()
  const document = await place.run(["-p", "hi", "-o", "json"], { server })
  expect(JSON.parse(document.stdout)).toMatchObject({ schema_version: 1 })
  const fits = await place.run(["schema", "check", "json", "-"], { stdin: { pipe: document.stdout } })
  expect(fits).toEqual({ exitCode: 0, stdout: "It fits.\n", stderr: "" })
  const lacking = document.stdout.replace('"completion_reason": "success",', "")
  const refused = await place.run(["schema", "check", "json", "-"], { stdin: { pipe: lacking } })
  expect(refused).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("completion_reason") })
  const events = await place.run(["-p", "hi", "-o", "stream-json"], { server })
  const broken = `${events.stdout}{"type":"nothing"}\n`
  const line = events.stdout.trimEnd().split("\n").length + 1
  const lines = await place.run(["schema", "check", "stream-json", "-"], { stdin: { pipe: broken } })
  expect(lines).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(new RegExp(`^-:${line}: type: `)) })
})

describe("each fault has its line and its place", () => {
  test.each([
    ["settings", "s.json", '{\n  "$schema": "x",\n  "ui": {\n    "nope": 1\n  }\n}', "s.json:4: ui.nope: is not known"],
    ["settings", "s.json", '{\n  "run": { "maxTurns": "many" }\n}', "s.json:2: run.maxTurns: must be"],
    ["settings", "s.json", '{\n  "run": {,}\n}', "s.json:2: "],
    [
      "policy",
      "p.toml",
      '[[rule]]\ntoolName = "x"\ndecision = "deny"\npriority = 1\n\n[[rule]]\ntoolName = "y"\ndecision = "deny"\npriority = -1\n',
      "p.toml:9: rule.1.priority"
    ],
    ["session", "s.jsonl", '{"$rewindTo":"x"}\n\n{"id":1}\n', "s.jsonl:3: "]
  ])("%s %s %#", async (name, file, text, said) => {
    await using place = await newWorkspace()
    await place.write(`work/${file}`, text)
    const { exitCode, stdout } = await place.run(["schema", "check", name, file])
    expect(exitCode).toBe(1)
    expect(stdout).toContain(said)
  })

  test.each([
    [["schema", "check", "jsn", "x"], 'no schema "jsn"'],
    [["schema", "jsn"], 'no command "jsn"'],
    [["schema", "check", "json", "missing.json"], "missing.json: no such file"],
    [["schema", "check", "json", "/dev/null"], "/dev/null is not a regular file"],
    [["schema", "check", "json", "."], "is a folder"]
  ])("%p", async (args, said) => {
    await using place = await newWorkspace()
    const { exitCode, stderr, stdout } = await place.run(args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
    expect(stderr).toContain(said)
  })
})

test("a settings file to begin with is read without a word, fits its schema, and is never written over", async () => {
  await using place = await newWorkspace()
  const made = await place.run(["config", "init", "--scope", "project"])
  expect(made.exitCode).toBe(0)
  expect((await place.run(["config", "validate"])).exitCode).toBe(0)
  const checked = await place.run(["schema", "check", "settings", ".gemini/settings.json"])
  expect(checked.stdout).toBe("It fits.\n")
  // Every setting, taken out of its comment, is one that is known, with a value that it may have.
  const text = (await place.read("work/.gemini/settings.json")).replaceAll(/^ {2}\/\/ /gm, "  ")
  await place.write("work/all.json", text)
  expect((await place.run(["schema", "check", "settings", "all.json"])).stdout).toBe("It fits.\n")
  const again = await place.run(["config", "init", "--scope", "project"])
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("exists already") })
})
