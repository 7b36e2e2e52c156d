/** Approvals that last: for the session, saved, by server or mode; where none may be offered; and changed calls. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal, type TerminalSession } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const touch = (name: string) => call("run_shell_command", { command: `touch ${name}` })
const build = (target: string) => call("run_shell_command", { command: `git tag ${target}` })
const write = (name: string) => call("write_file", { file_path: name, content: `${name}\n` })
const made = (place: Workspace, name: string) => existsSync(join(place.cwd, name))
const SAVED = "home/.gemini/policies/auto-saved.toml"

type Script = (session: TerminalSession, place: Workspace) => Promise<void>

const session = async (
  place: Workspace,
  turns: ReadonlyArray<ReturnType<typeof call>>,
  script: Script,
  env: Record<string, string> = {}
) => {
  await using server = await startModelServer([...turns.map((turn) => ask(turn)), say("all done")])
  const terminal = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server, env })
  await terminal.shows(READY)
  terminal.type("do it\r")
  await script(terminal, place)
  await terminal.shows("all done")
  terminal.type("\u0004")
  expect(await terminal.exitCode).toBe(0)
  return JSON.stringify(server.generations.at(-1)?.body)
}

const withSettings = async (settings: object): Promise<Workspace> => {
  const place = await newWorkspace()
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  return place
}

describe("an approval for all sessions", () => {
  test("shows the rule, saves it after another yes, and is not asked for again", async () => {
    await using place = await withSettings({ security: { enablePermanentToolApproval: true } })
    await place.shell("git init -q . && git -c user.name=x -c user.email=x commit -q --allow-empty -m x")
    await session(place, [build("one")], async (terminal) => {
      await terminal.shows("Allow? 1/2/3/4/5: ")
      terminal.type("s\r")
      await terminal.shows("Save it? y/n: ")
      expect(terminal.plain()).toContain('commandPrefix = [ "git tag" ]')
      terminal.type("y\r")
      await terminal.shows("saved to ")
    })
    expect(await place.read(SAVED)).toContain('commandPrefix = [ "git tag" ]')
    await session(place, [build("two")], async () => {})
    const tags = await place.shell("git tag")
    expect(tags.stdout).toBe("one\ntwo\n")
  })

  test("is not offered unless the settings say so", async () => {
    await using place = await newWorkspace()
    await session(place, [touch("one")], async (terminal) => {
      await terminal.shows("Allow? 1/2/3/4: ")
      terminal.type("s\r")
      await terminal.shows("is not one of the answers")
      terminal.type("y\r")
    })
    expect(existsSync(join(place.root, SAVED))).toBe(false)
  })
})

describe("no standing approval is offered", () => {
  test.each<[string, object, Record<string, string>]>([
    ["in a folder that is not trusted", {}, { GEMINI_CLI_TRUST_WORKSPACE: "false" }],
    ["where the settings forbid it", { security: { disableAlwaysAllow: true } }, {}]
  ])("%s", async (_, settings, env) => {
    await using place = await withSettings(settings)
    await session(
      place,
      [touch("one"), touch("two")],
      async (terminal) => {
        await terminal.shows("Allow? 1/3/4: ")
        const again = terminal.showsNext("Allow? 1/3/4: ")
        terminal.type("2\r")
        await again
        expect(made(place, "one")).toBe(false)
        terminal.type("1\r")
        // What is typed before the question can be answered is thrown away.
        await terminal.shows("touch two")
        while (!terminal.plain().split("touch two").at(-1)?.includes("Allow? 1/3/4: ")) await Bun.sleep(20)
        terminal.type("n\r")
      },
      env
    )
    expect([made(place, "one"), made(place, "two")]).toEqual([true, false])
  })
})

describe("edits", () => {
  test("one file for the session opens no other; all of them is a choice of its own", async () => {
    await using place = await newWorkspace()
    await session(place, [write("a"), write("a"), write("b"), write("c")], async (terminal) => {
      await terminal.shows("Allow? 1/2/3/4/5: ")
      const next = terminal.showsNext("work/b?")
      terminal.type("a\r")
      await next
      terminal.type("m\r")
      await terminal.shows("approval mode is now auto_edit")
    })
    expect(["a", "b", "c"].map((name) => made(place, name))).toEqual([true, true, true])
  })
})

describe("a command", () => {
  test("that was changed in the editor is shown again, runs as changed, and the model is told", async () => {
    await using place = await newWorkspace()
    const editor = await place.write("editor.sh", '#!/bin/sh\nprintf "touch changed\\n" > "$1"\n')
    await place.shell(`chmod +x ${editor}`)
    const told = await session(
      place,
      [touch("one")],
      async (terminal) => {
        await terminal.shows("Allow? ")
        const again = terminal.showsNext("Allow? ")
        terminal.type("3\r")
        await again
        expect(terminal.plain()).toContain("│ touch changed")
        terminal.type("y\r")
      },
      { EDITOR: editor }
    )
    expect([made(place, "one"), made(place, "changed")]).toEqual([false, true])
    expect(told).toContain("The user changed the command before it ran. It was:\\ntouch changed")
  })

  test("cannot be changed into one that a rule denies", async () => {
    await using place = await newWorkspace()
    await place.write(
      "home/.gemini/policies/mine.toml",
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch changed"\ndecision = "deny"\npriority = 900\n'
    )
    const editor = await place.write("editor.sh", '#!/bin/sh\nprintf "touch changed\\n" > "$1"\n')
    await place.shell(`chmod +x ${editor}`)
    const told = await session(
      place,
      [touch("one")],
      async (terminal) => {
        await terminal.shows("Allow? ")
        terminal.type("e\r")
      },
      { EDITOR: editor }
    )
    expect(made(place, "changed")).toBe(false)
    expect(told).toContain("Tool execution denied by policy")
  })
})
