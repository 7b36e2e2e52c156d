/** `gemini tools list`: the declarations that a run sends, without a model, a key or standard input. */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

interface Listed {
  readonly name: string
  readonly description: string
  readonly offered: { readonly interactive: boolean; readonly headless: boolean }
  readonly parameters: unknown
}

interface Sent {
  readonly tools: ReadonlyArray<{
    readonly functionDeclarations: ReadonlyArray<{
      readonly name: string
      readonly description: string
      readonly parametersJsonSchema: unknown
    }>
  }>
}

test.each([
  { flags: [], settings: "{}" },
  { flags: ["--approval-mode", "yolo"], settings: '{ "tools": { "exclude": ["glob"] } }' },
  { flags: ["--approval-mode", "auto_edit"], settings: '{ "experimental": { "taskTracker": true } }' },
  { flags: ["--allowed-tools", "run_shell_command(git)"], settings: '{ "useWriteTodos": false }' }
])("what is listed as offered is what a run sends: %j", async ({ flags, settings }) => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", settings)
  await using server = await startModelServer([say("ok")])
  await place.run(["-p", "hi", ...flags], { server })
  const body = server.generations[0]?.body as Sent | undefined
  const sent = (body?.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations)
  const { exitCode, stderr, stdout } = await place.run(["tools", "list", "--json", ...flags], { server })
  const offered = (JSON.parse(stdout) as ReadonlyArray<Listed>).filter((tool) => tool.offered.headless)
  expect(sent.length).toBeGreaterThan(5)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  expect(offered.map(({ name, description, parameters }) => ({ name, description, parameters }))).toEqual(
    sent.map(({ name, description, parametersJsonSchema }) => ({ name, description, parameters: parametersJsonSchema }))
  )
  expect(server.generations).toHaveLength(1)
})

test("the text names every tool and says why some are hidden", async () => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{ "tools": { "exclude": ["save_memory"] } }')
  const { exitCode, stderr, stdout } = await place.run(["tools", "list"], { stdin: "silent" })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
  expect(stdout).toMatch(/^read_file +read +offered +Reads /m)
  expect(stdout).toMatch(/^run_shell_command +execute +not in -p +Runs /m)
  expect(stdout).toMatch(/^save_memory +other +hidden +tools\.exclude names it$/m)
})

test("a broken policy of the administrator: one line, exit 1", async () => {
  await using place = await newWorkspace()
  const file = await place.write("admin.toml", "[[rule]\n")
  const { exitCode, stderr, stdout } = await place.run(["tools", "list", "--admin-policy", file])
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" })
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
  expect(stderr).toContain(file)
})
