/** More than the sandbox gives: who is asked, what the question shows, where the answer lands, and what never opens. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, type Part, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

setDefaultTimeout(30_000)

const QUESTION = "Allow? "
const shell = (command: string, more: object = {}) => call("run_shell_command", { command, ...more })

/** A conversation in which the model makes these calls, and then says so. */
const asked = async (place: Workspace, calls: ReadonlyArray<Part>, args: ReadonlyArray<string> = []) => {
  const server = await startModelServer([...calls.map((one) => ask(one)), say("all done"), say("bye")])
  const session = startInTerminal(place, ["--model", "gemini-2.5-flash", "--sandbox=bwrap", ...args], { server })
  await session.shows("  Type your message or @path/to/file")
  session.type("do it\r")
  return {
    session,
    told: () => JSON.stringify(server.generations.at(-1)?.body),
    declared: () => JSON.stringify(server.generations[0]?.body).includes("additional_permissions"),
    [Symbol.asyncDispose]: async () => {
      session.type("\u0004")
      expect(await session.exitCode).toBe(0)
      await server.close()
    }
  }
}

const allowed = (place: Workspace) =>
  place.write(
    "home/.gemini/policies/mine.toml",
    '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["tee", "cat"]\ndecision = "allow"\npriority = 200\nallowRedirection = true\n'
  )

test("what failed is asked about once more, with its origin, and the answer is kept in sandbox.toml", async () => {
  await using place = await newWorkspace()
  await allowed(place)
  await place.write("home/.gemini/settings.json", '{ "security": { "enablePermanentToolApproval": true } }')
  const extra = join(place.root, "extra")
  mkdirSync(extra)
  mkdirSync(join(place.home, ".ssh"))
  await using run = await asked(place, [
    shell(`tee ${extra}/one <<<one`),
    shell(`tee ${extra}/two <<<two`),
    shell(`tee ${place.root}/home/.ssh/authorized_keys <<<key`),
    shell(`tee ${extra}/three <<<three`)
  ])
  const { session } = run
  await session.shows(QUESTION)
  const shown = session.plain()
  expect(shown).toContain("it ran in the sandbox and failed; it would run once more")
  expect(shown).toContain(`changing ${extra}`)
  expect(shown).toContain(`it printed: tee: ${extra}/one`)
  expect(run.declared()).toBe(true)
  session.type("n\r")
  await session.showsNext(QUESTION)
  expect(existsSync(join(extra, "one"))).toBe(false)
  session.type("s\r")
  await session.showsNext("Save it?")
  expect(session.plain()).toContain("(sandbox.toml)")
  session.type("y\r")
  // The rules ask about keys; the sandbox offers nothing for them.
  await session.showsNext(QUESTION)
  expect(session.plain()).toContain("decides who gets in")
  session.type("y\r")
  await session.shows("all done")
  expect(existsSync(join(place.home, ".ssh/authorized_keys"))).toBe(false)
  expect(await place.read("home/.gemini/policies/sandbox.toml")).toContain(`allowed_paths = [ "${extra}" ]`)
  expect(["one", "two", "three"].map((name) => existsSync(join(extra, name)))).toEqual([false, true, true])
  expect(session.plain().split("Open the sandbox for").length).toBe(3)
})

test("the model's wish is one question with the call; what is never opened fails at once", async () => {
  await using place = await newWorkspace()
  const extra = join(place.root, "extra")
  mkdirSync(extra)
  const wish = (write: string) => ({ additional_permissions: { fileSystem: { write: [write] } } })
  await using run = await asked(place, [
    shell(`touch ${extra}/made`, wish(extra)),
    shell(`touch ${place.home}/.ssh/x`, wish(`${place.home}/.ssh`))
  ])
  const { session } = run
  await session.shows(QUESTION)
  expect(session.plain()).toContain("it would run in the sandbox with this open to it:")
  expect(session.plain()).toContain("because the model asks for it")
  session.type("y\r")
  await session.shows("all done")
  expect(existsSync(join(extra, "made"))).toBe(true)
  expect(run.told()).toContain("The sandbox is never opened that far")
  expect(session.plain().split(QUESTION).length).toBe(2)
})

test("without somebody to ask nothing is opened, and the model is told", async () => {
  await using place = await newWorkspace()
  const extra = join(place.root, "extra")
  mkdirSync(extra)
  const { answers, bodies } = await callTools(
    place,
    inTurns(
      tool("run_shell_command", {
        command: `touch ${extra}/made`,
        additional_permissions: { fileSystem: { write: [extra] } }
      }),
      tool("run_shell_command", { command: "touch made", additional_permissions: { network: true } })
    ),
    { args: ["--sandbox=bwrap", "--yolo"] }
  )
  expect(existsSync(join(extra, "made"))).toBe(false)
  expect(answers[0]?.error).toContain(`it asks for access to ${extra}, outside the workspace`)
  expect(answers[1]?.output).toContain("additional_permissions were not given")
  expect(JSON.stringify(bodies[0])).not.toContain("additional_permissions")
})
