/** What an administrator decides, by the server of the organisation or by the settings file of the system. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expectFailure } from "./kit/expectations.ts"
import { fullExtension, writeFiles } from "./kit/extension-room.ts"
import { type GoogleOptions, startGoogle, status } from "./kit/google.ts"
import { scriptedServer } from "./kit/mcp-script.ts"
import { startModelServer } from "./kit/model-server.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const ADMINISTERED = { flags: [{ flagId: 45752213, boolValue: true }] }
const LINK = "https://goo.gle/manage-gemini-cli?project=project-of-the-server"

const managed = (controls: unknown, more: GoogleOptions["answers"] = {}) =>
  startGoogle({
    says: [say("hello")],
    answers: { listExperiments: () => ADMINISTERED, fetchAdminControls: () => controls, ...more }
  })

/** Somebody who is signed in, with something of everything that can be turned off. */
const equipped = async (server: ReturnType<typeof startGoogle>): Promise<Workspace> => {
  const place = await newWorkspace()
  await place.write("home/.gemini/oauth_creds.json", server.signedIn())
  const pids = `${place.root}/pids`
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({ mcpServers: { mine: scriptedServer({ tools: [], pids }) }, mcp: { serverCommand: "false" } })
  )
  await place.write("home/.gemini/skills/own/SKILL.md", "---\nname: own-skill\ndescription: Does it.\n---\nDo it.\n")
  await place.write("home/.gemini/agents/own.md", "---\nname: own-agent\ndescription: Does it too.\n---\nDo it.\n")
  writeFiles(join(place.home, ".gemini/extensions/full"), fullExtension("1.0.0"))
  return place
}

const ARGS = ["-p", "hi", "-m", "gemini-2.5-pro"]
const requestOf = (server: ReturnType<typeof startGoogle>) =>
  JSON.stringify(server.named("streamGenerateContent")[0]?.body)

describe("by the server", () => {
  test("what it does not allow is off: extensions, skills, agents, servers", async () => {
    using server = managed({ adminControlsApplicable: true })
    await using place = await equipped(server)
    const run = await place.run(ARGS, { env: server.env })
    expect(run).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    const request = requestOf(server)
    for (const one of ["own-skill", "own-agent", "Context of version 1.0.0"]) expect(request).not.toContain(one)
    expect(existsSync(join(place.root, "pids"))).toBe(false)
    expect(run.stderr).toContain(`extension "full" is left out: your administrator turned extensions off (${LINK})`)
    expect(run.stderr).toContain(`not allowed by your administrator: mcp, mine (${LINK})`)
    expect(server.named("fetchAdminControls")).toMatchObject([{ body: { project: "project-of-the-server" } }])
  })

  test("strict: yolo is exit 52, and no model is asked", async () => {
    using server = managed({ adminControlsApplicable: true })
    await using place = await equipped(server)
    expectFailure(await place.run([...ARGS, "--yolo"], { env: server.env }), 52, "admin.secureModeEnabled", LINK)
    expect(server.named("streamGenerateContent")).toEqual([])
  })

  test("what it allows stays; a list of servers takes the others out, and brings those that must be", async () => {
    const lists = {
      mcpServers: { listed: { url: "http://127.0.0.1:9/sse", type: "sse" } },
      requiredMcpServers: { corp: { url: "http://127.0.0.1:9/mcp", type: "http" } }
    }
    using server = managed({
      adminControlsApplicable: true,
      strictModeDisabled: true,
      mcpSetting: { mcpEnabled: true, mcpConfigJson: JSON.stringify(lists) },
      cliFeatureSetting: { unmanagedCapabilitiesEnabled: true, extensionsSetting: { extensionsEnabled: true } }
    })
    await using place = await equipped(server)
    const run = await place.run([...ARGS, "--yolo"], { env: server.env })
    expect(run).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    const request = requestOf(server)
    for (const one of ["own-skill", "own-agent", "Context of version 1.0.0"]) expect(request).toContain(one)
    expect(existsSync(join(place.root, "pids"))).toBe(false)
    expect(run.stderr).toContain("corp")
    expect(run.stderr).toMatch(/not allowed by your administrator: .*mine/)
  })

  test.each<[string, GoogleOptions["answers"], ReadonlyArray<string>]>([
    ["no administrator", { fetchAdminControls: () => ({ adminControlsApplicable: false }) }, []],
    ["no such server for this account", { listExperiments: () => ({ flags: [] }) }, []],
    ["a server that fails", { fetchAdminControls: () => status(403) }, ["could not be asked"]]
  ])("%s: nothing is restricted", async (_, answers, said) => {
    using server = managed({}, answers)
    await using place = await equipped(server)
    const run = await place.run([...ARGS, "--yolo"], { env: server.env })
    expect(run).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    for (const words of said) expect(run.stderr.split("\n").filter((line) => line.includes(words))).toHaveLength(1)
    expect(requestOf(server)).toContain("own-skill")
  })

  test("a file of experiments does not free anybody", async () => {
    using server = managed({ adminControlsApplicable: true })
    await using place = await equipped(server)
    const file = await place.write("exp.json", '{"flags": []}')
    expectFailure(await place.run([...ARGS, "--yolo"], { env: { ...server.env, GEMINI_EXP: file } }), 52)
  })

  test("in a conversation: said at its beginning, and in /about", async () => {
    using server = managed({ adminControlsApplicable: true })
    await using place = await equipped(server)
    const terminal = startInTerminal(place, ["-m", "gemini-2.5-pro"], { env: server.env, columns: 300 })
    await terminal.shows(
      "your administrator decided: strict mode; no extensions; no skills; no agents of one's own; no MCP servers"
    )
    await terminal.shows("Type your message")
    terminal.type("/about\r")
    await terminal.showsNext("Administrator")
    await terminal.shows("Gemini Code Assist")
    terminal.type("\u0004")
    expect(await terminal.exitCode).toBe(0)
  })
})

describe("by the settings file of the system", () => {
  const STRICT = '{ "admin": { "secureModeEnabled": true } }'

  test("counts without a server", async () => {
    await using server = await startModelServer(() => say("hello"))
    await using place = await newWorkspace()
    await place.write("system/settings.json", STRICT)
    expectFailure(await place.run([...ARGS, "--yolo"], { server }), 52, "admin.secureModeEnabled", "manage-gemini-cli")
    expect(server.generations).toEqual([])
  })

  test("that of a user does not, and is told so", async () => {
    await using server = await startModelServer(() => say("hello"))
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", STRICT)
    const run = await place.run([...ARGS, "--yolo"], { server })
    expect(run).toMatchObject({ stdout: "hello\n", exitCode: 0 })
    expect(run.stderr).toContain("in the settings file of the system")
  })

  test("one with a mistake stops the run", async () => {
    await using server = await startModelServer(() => say("hello"))
    await using place = await newWorkspace()
    await place.write("system/settings.json", '{ "admin": { "secureModeEnabled": "maybe" } }')
    expectFailure(await place.run(ARGS, { server }), 52, "settings.json:1")
  })
})
