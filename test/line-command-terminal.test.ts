/** Commands of a conversation have a terminal of their own, and the person may sit down at it. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { isAlive } from "./kit/processes.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const LEAVE = "\u001d"

test("a command of the person's own gets the keys, and one key leaves it running", async () => {
  await using server = await startModelServer([say("seen")])
  await using place = await newWorkspace()
  const session = startInTerminal(place, [], { server })
  await session.shows(READY)
  session.type("!tty | sed 's/[0-9]*$//'; stty size 2>&1; read -s -p 'Pass''word? ' word; echo \"got $word\"\r")
  await session.shows("Password?")
  session.type("secret\r")
  await session.shows("got secret")
  expect(session.plain()).toMatch(/\/dev\/pts\/\r+\n24 80\r+\n/)
  expect(session.plain().split("secret").length).toBe(2)
  await session.waits()
  // What it does not read is for the prompt, as in every shell: also a line that is not finished.
  session.type("!echo wai''ting; sleep 0.5\r")
  await session.shows("waiting")
  session.type("!echo typed a''head\r!echo half")
  await session.showsNext("typed ahead")
  session.type(" a li''ne\r")
  await session.showsNext("half a line")
  await session.waits()
  // What it switched on and left on is switched off.
  session.type("!stty -icanon; printf '\\033[?1049h\\033[?25ldrawn'; read -r x\r")
  await session.shows("drawn")
  session.type("\r")
  await session.waits()
  expect(session.screen()).toContain("\u001b[?1049l\u001b[?25h")
  session.type("!echo sta''rted; exec sleep 300\r")
  await session.shows("started")
  session.type(LEAVE)
  await session.shows("It goes on in the background")
  const pid = Number(/background as (\d+)/.exec(session.plain())?.[1])
  expect(isAlive(pid)).toBe(true)
  session.type("well?\r")
  await session.shows("seen")
  expect(JSON.stringify(server.generations[0]?.body)).toContain("goes on in the background")
  session.type("exit\r")
  expect(await session.exitCode).toBe(0)
  expect(isAlive(pid)).toBe(false)
})

test("Ctrl-] sits down at a command of the model that asks", async () => {
  const command = "read -p 'Name? ' name; echo \"$name\" > name.txt"
  await using server = await startModelServer([ask(call("run_shell_command", { command })), say("Done.")])
  await using place = await newWorkspace()
  const session = startInTerminal(place, ["--yolo"], { server })
  await session.shows(READY)
  session.type("go\r")
  await session.shows("Ctrl-] to type to it")
  session.type(LEAVE)
  await session.showsNext("Name?")
  session.type("Ada\r")
  await session.shows("Done.")
  expect(await Bun.file(join(place.cwd, "name.txt")).text()).toBe("Ada\n")
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
})

test.each([
  ["by a setting", { tools: { shell: { enableInteractiveShell: false } } }, {}],
  ["by GEMINI_PTY_INFO", {}, { GEMINI_PTY_INFO: "child_process" }]
])("where it is not wanted, %s, commands run on pipes", async (_, settings, env) => {
  await using place = await newWorkspace()
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  const session = startInTerminal(place, [], { env: { GEMINI_API_KEY: "x", ...env } })
  await session.shows(READY)
  session.type("!test -t 1 || echo a pipe; read x || touch ended\r")
  await session.shows("a pipe")
  await session.waits()
  expect(existsSync(join(place.cwd, "ended"))).toBe(true)
  session.type("\u0004")
  expect(await session.exitCode).toBe(0)
})
