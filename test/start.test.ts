/** Where and how the binary is started: versions and help, odd homes, odd folders, hostile folders. */

import { describe, expect, test } from "bun:test"
import manifest from "../package.json"
import { expectFailure } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { asNobody, testWith } from "./kit/needs.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

describe("version and help", () => {
  test.each([[["--version", "--json"]], [["--json", "-v"]]])("%j names the build", async (args) => {
    await using place = await newWorkspace()
    const run = await place.run(args)
    expect(run).toMatchObject({ exitCode: 0, stderr: "" })
    const facts = JSON.parse(run.stdout)
    expect(Object.keys(facts)).toEqual(["version", "commit", "date", "target", "bun", "compatible_with"])
    expect((await place.run(["--version"])).stdout).toBe(`${facts.version}\n`)
    expect(facts.version.startsWith(`${facts.compatible_with}.`)).toBe(true)
    expect(facts.bun).toBe(Bun.version)
  })

  test.each([[["--version"]], [["-v"]], [["-p", "hi", "--version"]]])("%j prints the version alone", async (args) => {
    await using place = await newWorkspace()
    expect(await place.run(args)).toEqual({ stdout: `${manifest.version}\n`, stderr: "", exitCode: 0 })
  })

  test.each([[["--help"]], [["-h"]], [["-m", "x", "--help"]]])("%j prints the help on stdout", async (args) => {
    await using place = await newWorkspace()
    const result = await place.run(args)
    expect(result).toMatchObject({ stderr: "", exitCode: 0 })
    for (const word of ["--prompt", "--output-format", "stream-json", "--model", "--demo"]) {
      expect(result.stdout).toContain(word)
    }
    expect(result.stdout).not.toContain("--fake-responses")
  })

  test("they need no home and no settings", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", "{ broken")
    const script = 'unset HOME && cd / && "$GEMINI" --version && "$GEMINI" --help >/dev/null'
    expect(await place.shell(script)).toEqual({ stdout: `${manifest.version}\n`, stderr: "", exitCode: 0 })
  })
})

describe("homes", () => {
  testWith(...asNobody)("none at all", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const script = place.unprivileged("unset HOME", '"$GEMINI" -p hi')
    expect(await place.shell(script, { server })).toMatchObject({ stdout: "ok\n", exitCode: 0 })
  })

  testWith(...asNobody)("one that cannot be written", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const script = place.unprivileged('chmod 555 "$HOME"', '"$GEMINI" -p hi')
    expect(await place.shell(script, { server })).toMatchObject({ stdout: "ok\n", exitCode: 0 })
  })

  test("one that is a file", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    const HOME = await place.write("file-home", "")
    expect((await place.run(["-p", "hi"], { server, env: { HOME } })).stdout).toBe("ok\n")
  })

  test("GEMINI_CLI_HOME wins over HOME", async () => {
    await using server = await startModelServer([say("ok")])
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "model": { "name": "from-home" } }')
    await place.write("other/.gemini/settings.json", '{ "model": { "name": "from-other" } }')
    await place.run(["-p", "hi"], { server, env: { GEMINI_CLI_HOME: `${place.root}/other` } })
    expect(server.generations[0]?.model).toBe("from-other")
  })
})

test("a working folder that was deleted: one line, no trace", async () => {
  await using server = await startModelServer([say("ok")])
  await using place = await newWorkspace()
  const result = await place.shell('mkdir gone && cd gone && rmdir ../gone && exec "$GEMINI" -p hi', { server })
  // The runtime itself refuses to start there, before any code of ours runs: hence its words and its code.
  expectFailure(result, 1, "working directory was deleted")
})

describe("a hostile folder", () => {
  const EVIL = 'require("node:fs").writeFileSync(process.env.TMPDIR + "/evil", "ran"); console.log("EVIL")\n'

  /** Everything that a Bun program could pick up from the folder it is started in. */
  const poison = async (place: Workspace) => {
    await place.write(
      "work/bunfig.toml",
      'preload = ["./evil.js"]\n[run]\nbun = true\n[install]\nregistry = "http://evil.invalid"\n'
    )
    await place.write("work/evil.js", EVIL)
    await place.write(
      "work/.env",
      "GEMINI_API_KEY=evil\nGOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\nGEMINI_MODEL=evil\nDEBUG=1\n"
    )
    await place.write("work/.env.local", "GEMINI_MODEL=evil\nBUN_OPTIONS=--preload=./evil.js\n")
    await place.write(
      "work/package.json",
      '{"type":"commonjs","main":"evil.js","imports":{"#x":"./evil.js"},"workspaces":["*"]}'
    )
    await place.write(
      "work/tsconfig.json",
      '{"compilerOptions":{"paths":{"*":["./evil.js"]},"jsx":"react","jsxImportSource":"evil"}}'
    )
    for (const name of ["effect", "@google/genai", "google-auth-library", "jsonc-parser"]) {
      await place.write(`work/node_modules/${name}/package.json`, `{"name":"${name}","main":"index.js"}`)
      await place.write(`work/node_modules/${name}/index.js`, EVIL)
    }
    await place.write("work/.gemini/settings.json", '{ "model": { "name": "evil" }, "output": { "format": "json" } }')
    await place.write("work/.gemini/.env", "GEMINI_MODEL=evil\n")
  }

  test.each([[["-p", "hi"]], [["-p", "hi", "-o", "stream-json"]], [["--version"]], [["--help"]], [["--demo"]]])(
    "%j behaves as in an empty one",
    async (args) => {
      await using server = await startModelServer(() => say("ok"))
      await using clean = await newWorkspace()
      await using hostile = await newWorkspace()
      await poison(hostile)
      const env = { GEMINI_CLI_TRUST_WORKSPACE: undefined }
      const expected = await clean.run(args, { server, env })
      const actual = await hostile.run(args, { server, env })
      expect(neutral(actual.stdout)).toBe(neutral(expected.stdout))
      expect(actual.exitCode).toBe(0)
      expect(actual.stdout + actual.stderr).not.toContain("EVIL")
      expect(await Bun.file(`${hostile.root}/tmp/evil`).exists()).toBe(false)
      const [first, second] = server.generations
      expect(second?.model).toBe(first?.model)
      expect(second?.headers["x-goog-api-key"]).toBe(first?.headers["x-goog-api-key"])
    }
  )

  /** Without what differs between any two runs. */
  const neutral = (stdout: string): string =>
    stdout.replace(/"(timestamp|session_id)":"[^"]*"/g, '"$1":""').replace(/"duration_ms":\d+/g, '"duration_ms":0')
})

test("a page of the manual stands in the program, and a topic that it does not know is no prompt", async () => {
  await using place = await newWorkspace()
  const topics = await place.run(["help", "topics"])
  expect(topics).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringContaining("getting-started") })
  const { exitCode, stdout } = await place.run(["help", "mcp"])
  expect(exitCode).toBe(0)
  for (const words of ["gemini mcp: Manage MCP servers.", "# MCP servers"]) expect(stdout).toContain(words)
  expect(await place.run(["help", "nosuch"])).toMatchObject({ exitCode: 1, stdout: "" })
})
