/** Servers of an agent's own: they are there for it, for nobody else, and no longer than it works. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { conversationOf, delegating, isAfterTools, isAgent, lastParts, toolsOf } from "./kit/agent-run.ts"
import { scriptedServer } from "./kit/mcp-script.ts"
import { type ModelRequest, startModelServer } from "./kit/model-server.ts"
import { isAlive } from "./kit/processes.ts"
import { ask, call } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const echo = { name: "echo", description: "Says it again.", inputSchema: { type: "object", properties: {} } }
const isServed = (request: ModelRequest) => isAgent(request) && conversationOf(request).includes("served task")

test("servers of the definition and of the settings join one agent's tools, and end with it", async () => {
  await using place = await newWorkspace()
  const pids = `${place.root}/pids`
  const own = { ...scriptedServer({ tools: [echo, { ...echo, name: "hidden" }], pids }), exclude_tools: ["hidden"] }
  const servers = { own: { ...own, trust: true }, gone: { command: "/nowhere/at/all" } }
  await place.write(
    "home/.gemini/agents/served.md",
    `---\nname: served\ndescription: Has servers.\nmcp_servers: ${JSON.stringify(servers)}\n---\nYou work.\n`
  )
  const added = { ...scriptedServer({ tools: [echo], pids }), trust: true }
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify({ agents: { overrides: { served: { mcpServers: { added } } } } })
  )
  const tasks = [
    { agent: "served", prompt: "served task" },
    { agent: "generalist", prompt: "another" }
  ]
  const seen = { whileWorking: [] as boolean[], afterwards: [] as boolean[] }
  const look = () =>
    readFileSync(pids, "utf8")
      .trim()
      .split("\n")
      .map((pid) => isAlive(Number(pid)))
  const main = delegating(tasks, () => ask(call("complete_task", { result: { response: "plain" } })))
  await using model = await startModelServer((request) => {
    if (!isAgent(request) && isAfterTools(request)) seen.afterwards = look()
    if (!isServed(request)) return main(request)
    if (isAfterTools(request)) return ask(call("complete_task", { result: lastParts(request) }))
    seen.whileWorking = look()
    return ask(call("mcp_own_echo", { say: "first" }), call("mcp_added_echo", { say: "second" }))
  })
  const run = await place.run(["-p", "go", "-o", "stream-json"], { server: model })
  expect(run.exitCode).toBe(0)
  expect(run.stderr).toContain("/nowhere/at/all")
  for (const request of model.generations) {
    const offered = toolsOf(request).filter((name) => name.startsWith("mcp_"))
    expect(offered.toSorted()).toEqual(isServed(request) ? ["mcp_added_echo", "mcp_own_echo"] : [])
  }
  const answers = lastParts(model.generations.at(-1))
  expect(answers).toContain("first")
  expect(answers).toContain("second")
  // Each of the two servers has a child.
  expect(seen).toEqual({ whileWorking: [true, true, true, true], afterwards: [false, false, false, false] })
}, 30_000)
