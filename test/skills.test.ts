/** Skills in a run: what the model is told, who decides, what a broken one costs, and that removing leaves no trace. */
import { expect, test } from "bun:test"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const NOTES = "---\nname: notes\ndescription: Writes notes.\n---\nWrite them well.\n"

const withSkill = async (place: Workspace) => {
  await place.write("home/.gemini/skills/notes/SKILL.md", NOTES)
  return place.write("home/.gemini/skills/notes/style.txt", "short sentences")
}

test("a rule lets the model activate a skill and read what comes with it; a broken one is named with its line", async () => {
  await using place = await newWorkspace()
  const style = await withSkill(place)
  await place.write("work/.agents/skills/bad/SKILL.md", "---\ndescription: x y\nname: [\n---\n")
  await place.write(
    "home/.gemini/policies/skills.toml",
    '[[rule]]\ntoolName = "activate_skill"\ndecision = "allow"\npriority = 100\n'
  )
  const calls = inTurns(tool("read_file", { file_path: style }), tool("activate_skill", { name: "notes" }))
  const run = await callTools(place, [...calls, ...inTurns(tool("read_file", { file_path: style }))])
  expect(run.answers).toMatchObject([
    { status: "error", type: "invalid_tool_params" },
    { status: "success", output: expect.stringContaining("<instructions>\nWrite them well.\n</instructions>") },
    { status: "success", output: expect.stringContaining("short sentences") }
  ])
  const body = JSON.stringify(run.bodies[0])
  expect(body).toContain('"enum":["notes","skill-creator"]')
  expect(body).toContain("<available_skills>")
  expect(body).toContain("<description>Writes notes.</description>")
  expect(run.result.stderr).toMatch(
    /\[WARNING\] skill \S+\/work\/\.agents\/skills\/bad\/SKILL\.md:\d+: .*; it is left out\n/
  )
  expect(run.result.exitCode).toBe(0)
})

test("headless, nothing is activated without a rule, and the model is not told of it", async () => {
  await using place = await newWorkspace()
  await withSkill(place)
  const { answers, bodies, end, offered } = await callTools(place, inTurns(tool("activate_skill", { name: "notes" })))
  expect(offered).not.toContain("activate_skill")
  expect(JSON.stringify(bodies[0])).not.toContain("Writes notes.")
  expect(answers).toMatchObject([{ status: "error", type: "tool_not_registered" }])
  expect(end).toMatchObject({ permission_denials: [{ tool_name: "activate_skill" }] })
})

test("at a terminal the person is asked, and sees what the skill is", async () => {
  await using place = await newWorkspace()
  await withSkill(place)
  await using server = await startModelServer([ask(call("activate_skill", { name: "notes" })), say("all done")])
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
  await session.shows("Type your message")
  session.type("write notes\r")
  await session.shows("Allow? ")
  expect(session.plain()).toContain("Writes notes.")
  expect(session.plain()).toContain("style.txt")
  session.type("y\r")
  await session.shows("all done")
  expect(JSON.stringify(server.generations.at(-1)?.body)).toContain("Write them well.")
  session.type("/skills disable notes\r")
  await session.shows("The skill notes is disabled.")
  session.type("/skills\r")
  await session.shows("notes [Disabled]")
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
  expect(await place.read("work/.gemini/settings.json")).toContain('"notes"')
})

test("a skill is a command: its instructions and the words behind it are sent", async () => {
  await using place = await newWorkspace()
  await withSkill(place)
  await place.write("work/log.txt", "the log")
  await using server = await startModelServer(() => say("ok"))
  expect((await place.run(["-p", "/notes for @log.txt"], { server })).stdout).toBe("ok\n")
  const body = JSON.stringify(server.generations[0]?.body)
  expect(body).toContain("Write them well.")
  expect(body).toContain("for @log.txt")
  expect(body).toContain("the log")
  const denied = '[[rule]]\ntoolName = "activate_skill"\ndecision = "deny"\npriority = 100\n'
  await place.write("home/.gemini/policies/skills.toml", denied)
  const refused = await place.run(["-p", "/notes"], { server })
  expect(refused.exitCode).not.toBe(0)
  expect(refused.stderr).toContain("The skill notes is not activated")
  expect(server.generations).toHaveLength(1)
})

/** Every file and folder of the home, with its bytes. */
const homeOf = async (place: Workspace): Promise<Readonly<Record<string, string>>> => {
  const names = [...new Bun.Glob("**/*").scanSync({ cwd: `${place.root}/home`, dot: true, onlyFiles: false })]
  const entries = await Promise.all(
    names.toSorted().map(async (name) => [name, await place.read(`home/${name}`).catch(() => "(folder)")] as const)
  )
  return Object.fromEntries(entries)
}

test("installed, linked, switched and removed, the home is as it was", async () => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", '{\n  // mine\n  "ui": {}\n}\n')
  await place.write("work/src/SKILL.md", NOTES)
  const before = await homeOf(place)
  const skills = (...args: ReadonlyArray<string>) => place.run(["skills", ...args])

  const asked = await skills("install", "src")
  expect(asked).toMatchObject({ exitCode: 1, stdout: "" })
  expect(asked.stderr).toContain("Add --consent.")
  expect(await homeOf(place)).toEqual(before)

  expect((await skills("install", "src", "--consent")).stdout).toBe(
    `Installed ${place.root}/home/.gemini/skills/notes.\n`
  )
  expect((await skills("list")).stdout).toContain("notes [Enabled]\n  Description: Writes notes.\n")
  expect((await skills("disable", "notes")).exitCode).toBe(0)
  expect(JSON.parse((await skills("list", "--json")).stdout)).toMatchObject([{ name: "notes", enabled: false }])
  const untrusted = { env: { GEMINI_CLI_TRUST_WORKSPACE: undefined } }
  const inVain = await place.run(["skills", "disable", "notes"], untrusted)
  expect(inVain.stderr).toContain(`${place.cwd} is not trusted: this has no effect until it is`)
  expect((await skills("enable", "NOTES")).exitCode).toBe(0)
  expect((await skills("uninstall", "notes")).exitCode).toBe(0)
  expect((await skills("uninstall", "notes")).exitCode).toBe(1)
  expect((await skills("link", "src", "--consent")).exitCode).toBe(0)
  expect((await skills("uninstall", "notes")).exitCode).toBe(0)
  expect(await place.read("work/src/SKILL.md")).toBe(NOTES)

  await place.shell("cd src && git init -q && git add . && git -c user.name=a -c user.email=a@b commit -q -m x")
  expect((await skills("install", `file://${place.cwd}/src`, "--consent")).exitCode).toBe(0)
  expect(await place.read("home/.gemini/skills/notes/SKILL.md")).toBe(NOTES)
  expect((await skills("uninstall", "notes")).exitCode).toBe(0)
  const nowhere = await skills("install", `file://${place.root}/nowhere`, "--consent")
  expect(nowhere.exitCode).toBe(1)
  expect(nowhere.stderr).toContain("nowhere cannot be fetched")
  expect(await homeOf(place)).toEqual(before)
})
