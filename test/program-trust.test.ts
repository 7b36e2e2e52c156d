/** MCP servers and commands of a project's settings run only in the form that a person agreed to. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { scriptedServer } from "./kit/mcp-script.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const BY_RULE = { GEMINI_CLI_TRUST_WORKSPACE: undefined }
const AT_TERMINAL = { GEMINI_CLI_TRUST_WORKSPACE: "" }
const CTRL_D = "\u0004"

const TOOLS = '[{"name": "greet", "description": "Greets.", "parametersJsonSchema": {"type": "object"}}]'

/** A project with a server and a discovery command, each of which leaves a mark when it runs. */
const bringPrograms = async (place: Workspace, mark = "one") => {
  const { args, command } = scriptedServer({ tools: [{ name: "x", inputSchema: { type: "object" } }] })
  const server = { command: "sh", args: ["server.sh", command, ...args] }
  await place.write("work/server.sh", `touch ../server-${mark}; exec "$@"\n`)
  await place.write("work/list.sh", `touch ../list-${mark}; echo '${TOOLS}'\n`)
  await place.write(
    "work/.gemini/settings.json",
    JSON.stringify({
      mcpServers: { docs: server },
      tools: { discoveryCommand: "sh list.sh", callCommand: "sh call.sh" }
    })
  )
}
const trust = (place: Workspace) =>
  place.write("home/.gemini/trustedFolders.json", JSON.stringify({ [place.cwd]: "TRUST_FOLDER" }))
const ran = (place: Workspace, ...names: ReadonlyArray<string>) =>
  names.map((name) => existsSync(join(place.root, name)))

describe("servers and commands of a project", () => {
  test("are confirmed once, in one question; changed ones end a headless run and ask again", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(() => say("fine"))
    await bringPrograms(place)
    await trust(place)
    const headless = (...args: ReadonlyArray<string>) => place.run(["-p", "x", ...args], { server, env: BY_RULE })
    const first = await headless()
    expect([first.exitCode, ...ran(place, "server-one", "list-one")]).toEqual([0, false, false])
    expect(first.stderr).toContain("MCP servers of this project do not run")
    expect(first.stderr).toContain("commands in the settings of this project do not run")

    const session = startInTerminal(place, [], { server, env: AT_TERMINAL, columns: 200 })
    await session.shows("? 1-2: ")
    expect(session.plain()).toContain("MCP server docs: sh server.sh")
    expect(session.plain()).toContain("tools.discoveryCommand: sh list.sh")
    expect(session.plain()).toContain("tools.callCommand: sh call.sh")
    session.type("1\r")
    await session.shows(READY)
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    const confirmed = await headless()
    expect([confirmed.exitCode, confirmed.stderr, ...ran(place, "server-one", "list-one")]).toEqual([0, "", true, true])

    await bringPrograms(place, "two")
    const changed = await headless()
    expect([changed.exitCode, ...ran(place, "server-two", "list-two")]).toEqual([55, false, false])
    expect(changed.stderr).toContain("settings.json:1")
    expect((await headless("--skip-trust")).exitCode).toBe(0)
    expect(ran(place, "server-two", "list-two")).toEqual([true, true])
  })

  test("what the question of trust lists is agreed to with the folder, and not asked about again", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(() => say("fine"))
    await bringPrograms(place)
    await place.write(
      "work/.gemini/hooks.toml",
      '[hooks.BeforeAgent]\nhooks = [{ type = "command", command = "touch ../hook-one" }]\n'
    )
    const session = startInTerminal(place, [], { server, env: AT_TERMINAL, columns: 200 })
    await session.shows("? 1-4: ")
    for (const words of ["hook BeforeAgent: touch ../hook-one", "sh server.sh", "sh list.sh"]) {
      expect(session.plain()).toContain(words)
    }
    session.type("1\r")
    await session.shows(READY)
    expect(session.plain()).not.toContain("outside the sandbox")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    const headless = await place.run(["-p", "x"], { server, env: BY_RULE })
    expect([headless.exitCode, headless.stderr]).toEqual([0, ""])
    expect(ran(place, "server-one", "list-one", "hook-one")).toEqual([true, true, true])
  })

  test("the same server in the user's own settings needs no agreement, and one that was added by hand has it", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(() => say("fine"))
    await bringPrograms(place)
    await trust(place)
    const { mcpServers } = JSON.parse(await place.read("work/.gemini/settings.json"))
    await place.write("work/.gemini/settings.json", JSON.stringify({ mcpServers }))
    await place.write("home/.gemini/settings.json", JSON.stringify({ mcpServers }))
    expect((await place.run(["-p", "x"], { server, env: BY_RULE })).stderr).toBe("")
    expect(ran(place, "server-one")).toEqual([true])

    await place.write("home/.gemini/settings.json", "{}")
    await place.write("work/.gemini/settings.json", "{}")
    const { args, command } = mcpServers.docs
    const added = await place.run(["mcp", "add", "docs", command, "--", ...args], { env: BY_RULE })
    expect(added.exitCode).toBe(0)
    expect((await place.run(["-p", "x"], { server, env: BY_RULE })).stderr).toBe("")
  })

  test("are not started by commands that look at them either", async () => {
    await using place = await newWorkspace()
    await bringPrograms(place)
    await trust(place)
    const listed = await place.run(["mcp", "list"], { env: BY_RULE })
    expect(listed.stdout).toContain("docs")
    const tested = await place.run(["mcp", "test", "docs"], { env: BY_RULE })
    expect(tested.stdout + tested.stderr).toContain("you have not confirmed it as it is now")
    const tools = await place.run(["tools", "list"], { env: BY_RULE })
    expect(tools.stderr).toContain("you have not confirmed its commands")
    expect(ran(place, "server-one", "list-one")).toEqual([false, false])
  })

  test("a command that the model changed meanwhile does not run", async () => {
    await using place = await newWorkspace()
    await bringPrograms(place)
    await place.write("work/call.sh", "echo ran >> ../called\n")
    await using server = await startModelServer([
      ask(call("discovered_tool_greet", {})),
      ask(call("write_file", { file_path: "call.sh", content: "touch ../evil\n" })),
      ask(call("discovered_tool_greet", {})),
      say("fine")
    ])
    const args = ["-p", "x", "--approval-mode", "auto_edit", "--allowed-tools", "discovered_tool_greet"]
    const run = await place.run(args, { server })
    expect([run.exitCode, ...ran(place, "called", "evil")]).toEqual([0, true, false])
    expect(JSON.stringify(server.generations.at(-1)?.body)).toContain("has changed since it was accepted")
  })
})

test("what policy files of a project allow counts once it was confirmed, and again when it changes", async () => {
  await using place = await newWorkspace()
  await trust(place)
  const allow = (command: string) =>
    place.write(
      "work/.gemini/policies/w.toml",
      `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "${command}"\ndecision = "allow"\npriority = 100\n`
    )
  await allow("touch")
  const tried = async () => {
    await using server = await startModelServer([ask(call("run_shell_command", { command: "touch ran" })), say("fine")])
    return await place.run(["-p", "x"], { server, env: BY_RULE })
  }
  const first = await tried()
  expect(first.stderr).toContain("what policy files of this project allow does not count")
  expect(existsSync(join(place.cwd, "ran"))).toBe(false)

  await using server = await startModelServer(() => say("fine"))
  const session = startInTerminal(place, [], { server, env: AT_TERMINAL, columns: 200 })
  await session.shows("? 1-2: ")
  expect(session.plain()).toContain('allow run_shell_command commandPrefix="touch"')
  session.type("1\r")
  await session.shows(READY)
  session.type(CTRL_D)
  expect(await session.exitCode).toBe(0)

  expect((await tried()).stderr).toBe("")
  expect(existsSync(join(place.cwd, "ran"))).toBe(true)
  await allow("rm")
  expect((await tried()).stderr).toContain("does not count")
})

/** Names of programs that are started on one's own account; each leaves a mark in the folder of the test. */
const PLANTED =
  "git rg bash sh mkfifo bwrap podman docker stty less xdg-open setpriv env getconf uname cat ls strace".split(" ")

describe("programs that a project brings along under names of the machine's", () => {
  test.each(["bin", "./bin", ".", "", "absolute"])(
    "are not started by a search path that leads to it (%s)",
    async (way) => {
      await using place = await newWorkspace()
      await using server = await startModelServer(({ body }) =>
        (body as { contents: ReadonlyArray<unknown> }).contents.length === 1
          ? ask(call("run_shell_command", { command: "echo said" }))
          : say("done")
      )
      for (const name of PLANTED) {
        for (const folder of ["work", "work/bin"]) {
          const file = await place.write(
            `${folder}/${name}`,
            `#!/bin/sh\necho "${name} $*" >>'${place.root}/planted'\n`
          )
          await chmod(file, 0o755)
        }
      }
      await place.shell('/usr/bin/git init -q . && printf \'{"prompt":"x"}\n\' > in.jsonl')
      const folder = way === "absolute" ? join(place.cwd, "bin") : way
      const env = { PATH: `${folder}:/usr/local/bin:/usr/bin:/bin` }
      const calls = [
        "-p hi --allowed-tools run_shell_command(echo)",
        "doctor",
        "sandbox check",
        "hooks list",
        "undo list",
        "-w tree -p hi",
        "help pipelines"
      ]
      for (const trusted of ["true", "false"]) {
        for (const words of calls) {
          const run = await place.run(words.split(" "), {
            server,
            env: { ...env, GEMINI_CLI_TRUST_WORKSPACE: trusted }
          })
          expect([words, run.exitCode === 0 || run.stderr !== "" || run.stdout !== ""]).toEqual([words, true])
          expect([trusted, words, existsSync(join(place.root, "planted"))]).toEqual([trusted, words, false])
        }
      }
      // At a terminal a page goes through the pager of the machine.
      const page = startInTerminal(place, ["help", "pipelines"], { server, env: { ...env, PAGER: "less -FX" } })
      await page.shows("# In scripts, services and CI")
      page.type("q")
      expect(await page.exitCode).toBe(0)
      expect(existsSync(join(place.root, "planted"))).toBe(false)
      // The command of the model was run, by the shell of the machine.
      const bodies = server.generations.map(({ body }) => JSON.stringify(body))
      expect(bodies.some((body) => /"functionResponse":\{[^}]*"response":\{"output":"[^"]*said/.test(body))).toBe(true)
    },
    60_000
  )
})
