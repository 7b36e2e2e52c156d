/** A session that is built anew in the same process: what the person decided and typed stays. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { scriptedServer } from "./kit/mcp-script.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const CTRL_D = "\u0004"
const tag = (name: string) => call("run_shell_command", { command: `git tag ${name}` })
const GIT = "git init -q . && git -c user.name=x -c user.email=x commit -q --allow-empty -m x"

describe("after /clear", () => {
  test("approvals, the model and a half-typed line are still there; the conversation is not", async () => {
    await using server = await startModelServer([
      ask(tag("one")),
      say("first done"),
      ask(tag("two")),
      say("second done")
    ])
    await using place = await newWorkspace()
    await place.shell(GIT)
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows(READY)
    session.type("/model set gemini-2.5-pro\r")
    await session.shows("The model is now gemini-2.5-pro.")
    session.type("tag it\r")
    await session.shows("Allow? 1/2/3/4: ")
    session.type("a\r")
    await session.shows("first done")
    session.type("/clear\rhalf")
    await session.shows("A new session begins.")
    session.type(" a line\r")
    await session.shows("second done")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect((await place.shell("git tag")).stdout).toBe("one\ntwo\n")
    const last = server.generations.at(-1)
    expect(last?.path).toContain("gemini-2.5-pro")
    expect(JSON.stringify(last?.body)).toContain("half a line")
    expect(JSON.stringify(last?.body)).not.toContain("tag it")
  })
})

describe("after a changed setting", () => {
  test("the conversation, its statistics and its approvals go on", async () => {
    await using server = await startModelServer([ask(tag("one")), say("first done"), ask(tag("two")), say("all done")])
    await using place = await newWorkspace()
    await place.shell(GIT)
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows(READY)
    session.type("tag it\r")
    await session.shows("Allow? 1/2/3/4: ")
    session.type("a\r")
    await session.shows("first done")
    session.type("/settings set ui.hideBanner true\r")
    await session.shows("ui.hideBanner is set in")
    session.type("go on\r")
    await session.shows("all done")
    session.type("/stats model --json\r")
    await session.shows('"totalRequests": 4')
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(JSON.stringify(server.generations.at(-1)?.body)).toContain("tag it")
  })
})

describe("before the MCP servers have started", () => {
  test("a prompt waits, commands do not, and the prompt goes out with the tools", async () => {
    await using server = await startModelServer([say("here I am")])
    await using place = await newWorkspace()
    const { args, command } = scriptedServer({ tools: [{ name: "late", inputSchema: { type: "object" } }] })
    const gate = join(place.root, "go")
    const started = `while [ ! -e '${gate}' ]; do sleep 0.05; done; exec "$0" "$@"`
    await place.write(
      "home/.gemini/settings.json",
      JSON.stringify({
        mcp: { startTimeout: 60_000 },
        mcpServers: { s: { command: "sh", args: ["-c", started, command, ...args] } }
      })
    )
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows(READY)
    session.type("hello\r")
    await session.shows("(sent as soon as the MCP servers have started")
    session.type("/about\r")
    await session.shows("gemini-2.5-flash")
    expect(server.generations).toHaveLength(0)
    await place.write("go", "")
    await session.shows("here I am")
    session.type(CTRL_D)
    expect(await session.exitCode).toBe(0)
    expect(JSON.stringify(server.generations[0]?.body)).toContain("mcp_s_late")
  })
})
