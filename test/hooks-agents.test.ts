/** Hooks and sub-agents: no call and no request of an agent is made behind the back of a guard. */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { answering, type HookSpecs, runHooked, specific } from "./kit/hook-run.ts"
import type { ModelRequest } from "./kit/model-server.ts"
import { ask, call, type Reply, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const isAgent = ({ body }: ModelRequest): boolean => JSON.stringify(body).includes('"name":"complete_task"')
const hasResults = ({ body }: ModelRequest): boolean => JSON.stringify(body).includes('"functionResponse"')

/** The main agent gives the task away; the agent runs a command and hands over. */
const delegating = (request: ModelRequest): Reply => {
  if (isAgent(request)) {
    return hasResults(request)
      ? ask(call("complete_task", { result: { response: "the agent is done" } }))
      : ask(call("run_shell_command", { command: "touch made" }))
  }
  return hasResults(request)
    ? say("all done")
    : ask(call("invoke_agent", { agent_name: "generalist", prompt: "make it" }))
}

const run = (place: Workspace, hooks: HookSpecs) => runHooked(place, hooks, delegating)
const isMade = (place: Workspace) => existsSync(join(place.cwd, "made"))

test("calls and requests of an agent have their hooks; prompts and sessions are those of the run alone", async () => {
  await using place = await newWorkspace()
  const events = ["SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel"]
  const log = "cat >> ../log; echo >> ../log"
  const { document } = await run(
    place,
    Object.fromEntries([...events, "BeforeTool", "AfterTool"].map((event) => [event, [log]]))
  )
  expect(document).toMatchObject({ response: "all done", completion_reason: "success" })
  expect(isMade(place)).toBe(true)
  const request = ["BeforeModel", "AfterModel"]
  const around = (tool: string, ...inside: ReadonlyArray<string>) => [
    `BeforeTool ${tool}`,
    ...inside,
    `AfterTool ${tool}`
  ]
  const agent = [...request, ...around("run_shell_command"), ...request, ...around("complete_task")]
  const whole = [...request, ...around("invoke_agent", ...agent), ...request]
  const heard = readFileSync(join(place.root, "log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(heard.map(({ hook_event_name, tool_name = "" }) => `${hook_event_name} ${tool_name}`.trim())).toEqual([
    ...["SessionStart", "BeforeAgent", ...whole, "AfterAgent", "SessionEnd"]
  ])
  expect(new Set(heard.map(({ session_id }) => session_id))).toEqual(new Set([document.session_id]))
})

test("a guard refuses the call of an agent, and changes its arguments", async () => {
  await using place = await newWorkspace()
  const guard = { matcher: "run_shell_command", command: "echo not here >&2; exit 2" }
  const refused = await run(place, { BeforeTool: [guard] })
  expect(isMade(place)).toBe(false)
  expect(refused.document).toMatchObject({
    response: "all done",
    permission_denials: [{ tool_name: "run_shell_command", reason: "a hook refused it: not here" }]
  })
  expect(refused.bodies[2]).toContain("Tool execution blocked: a hook refused it: not here")
  await run(place, {
    BeforeTool: [{ matcher: "run_shell_command", command: specific({ tool_input: { command: "touch other" } }) }]
  })
  expect([isMade(place), existsSync(join(place.cwd, "other"))]).toEqual([false, true])
})

test("inside of an agent a stop ends the run, a refused request only the agent", async () => {
  // Before the second request of the agent, which has the result of the command.
  const once = (output: object) =>
    `test -e made || exit 0; test -e ../once && exit 0; touch ../once; ${answering(output)}`
  await using stopping = await newWorkspace()
  const stopped = await run(stopping, { BeforeModel: [once({ continue: false, stopReason: "no more" })] })
  expect(stopped.result.exitCode).toBe(0)
  expect(stopped.bodies).toHaveLength(2)
  expect(stopped.document).toMatchObject({
    completion_reason: "stopped_by_hook",
    warnings: ["Agent execution stopped: no more"]
  })
  const atTheEnd = { matcher: "complete_task", command: answering({ continue: false, stopReason: "at the end" }) }
  const late = await run(stopping, { AfterTool: [atTheEnd] })
  expect(late.document).toMatchObject({ warnings: ["Agent execution stopped: at the end"] })
  await using refusing = await newWorkspace()
  const refused = await run(refusing, { BeforeModel: [once({ decision: "deny", reason: "no more" })] })
  expect(refused.document).toMatchObject({ response: "all done", completion_reason: "success" })
  expect(refused.bodies).toHaveLength(3)
  expect(refused.bodies.at(-1)).toContain("It was blocked by a hook: no more")
})
