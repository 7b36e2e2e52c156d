/** MCP servers in a run: who may start, what the model sees, what a bad server costs, and that none is left behind. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { type McpScript, scriptedServer } from "./kit/mcp-script.ts"
import { startModelServer } from "./kit/model-server.ts"
import { pidsIn, untilExists, untilGone } from "./kit/processes.ts"
import { answer, ask, chunk, say, text } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, inTurns, tool } from "./kit/tool-run.ts"

const offers = (...names: ReadonlyArray<string>): McpScript => ({
  tools: names.map((name) => ({
    name,
    description: `does ${name}`,
    inputSchema: { type: "object", properties: { to: { type: ["string", "null"] } } }
  }))
})

const configure = (place: Workspace, mcpServers: object, more: object = {}) =>
  place.write("home/.gemini/settings.json", JSON.stringify({ mcpServers, ...more }))

const serverTools = (names: ReadonlyArray<string>) => names.filter((name) => name.startsWith("mcp_"))

test("a server that the user and the project name alike starts once", async () => {
  await using place = await newWorkspace()
  const { args, command } = scriptedServer(offers("x"))
  const started = {
    command: "sh",
    args: ["-c", 'echo started >> "$0"; exec "$@"', `${place.root}/starts`, command, ...args]
  }
  const settings = JSON.stringify({ mcpServers: { one: { ...started, trust: true } } })
  for (const folder of ["home", "work"]) await place.write(`${folder}/.gemini/settings.json`, settings)
  const { offered, result } = await callTools(place, inTurns(tool("mcp_one_x", {})))
  expect(result.exitCode).toBe(0)
  expect(serverTools(offered)).toEqual(["mcp_one_x"])
  expect(await place.read("starts")).toBe("started\n")
})

describe("who may start and be called", () => {
  const servers = {
    one: scriptedServer(offers("x")),
    two: scriptedServer(offers("x")),
    three: scriptedServer(offers("x"))
  }

  test.each<[string, object, ReadonlyArray<string>, Array<string>]>([
    ["headless: nothing without a rule", {}, [], []],
    ["a server that is allowed", { mcp: { allowed: ["one"] } }, [], ["mcp_one_x"]],
    ["named on the command line", { mcp: { excluded: ["two"] } }, ["--allowed-mcp-server-names", "two"], ["mcp_two_x"]],
    ["all, by a setting", { mcp: { autoAllowInHeadless: true } }, [], ["mcp_one_x", "mcp_three_x", "mcp_two_x"]],
    ["all but one", { mcp: { excluded: ["ONE "] } }, ["--yolo"], ["mcp_three_x", "mcp_two_x"]],
    ["one tool", {}, ["--allowed-tools", "mcp_one_x"], ["mcp_one_x"]]
  ])("%s", async (_, settings, args, expected) => {
    await using place = await newWorkspace()
    await configure(place, servers, settings)
    const { offered, result } = await callTools(place, [], { args })
    expect(result.exitCode).toBe(0)
    expect(serverTools(offered)).toEqual(expected)
  })

  test("a call without permission is refused, and says what would allow it", async () => {
    await using place = await newWorkspace()
    await configure(place, servers)
    const { answers, end } = await callTools(place, inTurns(tool("mcp_one_x", {})))
    expect(answers).toMatchObject([{ status: "error", type: "tool_not_registered" }])
    expect(end).toMatchObject({ permission_denials: [{ tool_name: "mcp_one_x", allow_with: expect.any(String) }] })
  })

  test("a project's servers need a trusted folder; the user's own do not, but are not trusted there", async () => {
    await using place = await newWorkspace()
    await configure(place, { mine: { ...scriptedServer(offers("x")), trust: true } })
    const theirs = {
      mcpServers: { theirs: { ...scriptedServer({ ...offers("x"), pids: `${place.root}/pids` }), trust: true } }
    }
    await place.write("work/.gemini/settings.json", JSON.stringify(theirs))
    const untrusted = { env: { GEMINI_CLI_TRUST_WORKSPACE: "false" } }
    const { offered, result } = await callTools(place, [], untrusted)
    expect(result.exitCode).toBe(0)
    expect(serverTools(offered)).toEqual([])
    expect(existsSync(`${place.root}/pids`)).toBe(false)
    const allowed = await callTools(place, [], { ...untrusted, args: ["--allowed-mcp-server-names", "mine,theirs"] })
    expect(serverTools(allowed.offered)).toEqual(["mcp_mine_x"])
    const trusted = await callTools(place, [])
    expect(serverTools(trusted.offered)).toEqual(["mcp_mine_x", "mcp_theirs_x"])
  })
})

test("the model sees the tools in the dialect of the API, and what the server says of itself", async () => {
  await using place = await newWorkspace()
  await configure(place, { s: { ...scriptedServer({ ...offers("x"), instructions: "Ask twice." }), trust: true } })
  const { bodies } = await callTools(place, [])
  const body = JSON.stringify(bodies[0])
  expect(body).toContain(
    '"parametersJsonSchema":{"type":"object","properties":{"to":{"type":"string","nullable":true}}}'
  )
  expect(body).toContain('--- Context from: MCP server \\"s\\" ---\\nAsk twice.')
})

test("what a server says under a code that the client uses too is told in its words", async () => {
  await using place = await newWorkspace()
  const errors = {
    generic: { code: -32000, message: "the database is locked" },
    slow: { code: -32001, message: "upstream took too long" },
    custom: { code: 7, message: "no such row" }
  }
  await configure(place, { one: scriptedServer({ ...offers(...Object.keys(errors)), errors }) })
  const turns = inTurns(...Object.keys(errors).map((name) => tool(`mcp_one_${name}`)))
  const { answers } = await callTools(place, turns, { args: ["--yolo"] })
  expect(answers.map(({ type }) => type)).toEqual(answers.map(() => "mcp_tool_error"))
  expect(answers.map(({ error }) => error)).toEqual(
    Object.values(errors).map(({ message }) => expect.stringContaining(message))
  )
})

test("a long result is cut for the model and kept whole in a file", async () => {
  await using place = await newWorkspace()
  await configure(place, { s: { ...scriptedServer({ ...offers("x"), resultBytes: 3_000_000 }), trust: true } })
  const { answers } = await callTools(place, inTurns(tool("mcp_s_x", {})))
  const [first] = answers
  expect(first?.output?.length).toBeLessThan(50_000)
  const [, file = ""] = /is in (\S+);/.exec(first?.output ?? "") ?? []
  expect((await place.read(file)).length).toBeGreaterThan(3_000_000)
})

test("servers that fail are named in one line each, and the others work", async () => {
  await using place = await newWorkspace()
  const trusted = (script: McpScript) => ({ ...scriptedServer(script), trust: true })
  await configure(
    place,
    {
      good: trusted(offers("x")),
      none: { command: "no-such-program" },
      ends: { command: "sh", args: ["-c", "echo Error: no licence >&2; exit 3"] },
      typo: { "httpUrl ": "http://localhost" },
      wrong: { command: 5 },
      away: { url: "http://127.0.0.1:9/mcp" },
      mute: trusted({ ignores: ["initialize"] }),
      dies: trusted({ ...offers("x"), diesAt: { method: "tools/call", code: 7 } })
    },
    { mcp: { startTimeout: 1500 } }
  )
  const { answers, result } = await callTools(place, inTurns(tool("mcp_dies_x", {}), tool("mcp_good_x", { to: "me" })))
  expect(result.exitCode).toBe(0)
  expect(answers).toMatchObject([
    { status: "error", type: "mcp_tool_error", error: 'MCP server "dies" ended with exit code 7' },
    { status: "success", shown: '{"to":"me"}' }
  ])
  const lines = result.stderr.trim().split("\n")
  for (const word of [
    "mcpServers.wrong.command: expected a string",
    '"none" could not be started: no-such-program: no such program',
    '"ends" ended with exit code 3 and said: Error: no licence',
    '"typo" has no command, url or httpUrl; its field "httpUrl " is not known (did you mean httpUrl?)',
    '"away" cannot be reached',
    "not ready after 1s 500ms (mcp.startTimeout): mute"
  ]) {
    expect(lines.filter((line) => line.includes(word))).toHaveLength(1)
  }
}, 30_000)

describe("no process is left", () => {
  const stubborn = (place: Workspace) => ({
    s: { ...scriptedServer({ ...offers("x"), isStubborn: true, pids: `${place.root}/pids` }), trust: true }
  })

  test("after a normal end", async () => {
    await using place = await newWorkspace()
    await configure(place, stubborn(place))
    await callTools(place, inTurns(tool("mcp_s_x", {})))
    await untilGone(await pidsIn(`${place.root}/pids`))
  }, 30_000)

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
    "after %s, in the middle of an answer",
    async (signal) => {
      await using place = await newWorkspace()
      await using server = await startModelServer(() => answer([chunk(text("partial"))], { ending: "hang" }))
      await configure(place, stubborn(place))
      const run = place.start(["-p", "hi"], { server })
      await server.received(1)
      run.kill(signal)
      await run.result.catch(() => undefined)
      await untilGone(await pidsIn(`${place.root}/pids`))
    },
    30_000
  )

  test("after a kill of the whole group, in the middle of a call", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([ask(tool("mcp_s_x", {})), say("done")])
    const script = { ...offers("x"), ignores: ["tools/call"], pids: `${place.root}/pids`, log: `${place.root}/log` }
    await configure(place, { s: { ...scriptedServer(script), trust: true } })
    const run = place.shell(`set -m; "$GEMINI" -p hi & echo $! > "${place.root}/group"; wait`, { server })
    await untilExists(`${place.root}/pids`)
    await server.received(1)
    while (!(await place.read("log")).includes("tools/call")) await Bun.sleep(20)
    process.kill(-Number(await place.read("group")), "SIGKILL")
    await run
    await untilGone(await pidsIn(`${place.root}/pids`))
  }, 30_000)
})
