/** Agents that do not do what they should: whatever happens to one, its caller gets a text and the run goes on. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  conversationOf,
  delegating,
  isAfterTools,
  isAgent,
  lastParts,
  type Step,
  stepsOf,
  toolsOf
} from "./kit/agent-run.ts"
import { eventsOf } from "./kit/documents.ts"
import { type ModelRequest, startModelServer } from "./kit/model-server.ts"
import { ask, call, type Reply, say, sent } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const agentFile = (name: string, fields = "") =>
  `---\nname: ${name}\ndescription: Fails somehow.\ntools: [list_directory, run_shell_command]\n${fields}---\nYou work.\n`

const handOver = (result: unknown) => ask(call("complete_task", { result }))
const look = (request: ModelRequest) =>
  ask(call("list_directory", { dir_path: ".", ignore: [String(conversationOf(request).length)] }))
const isLastTurn = (request: ModelRequest) => toolsOf(request).join() === "complete_task"

/** What each agent does, by its name; one is told apart from another by its task. */
const AGENTS: Readonly<Record<string, { readonly fields?: string; readonly does: (request: ModelRequest) => Reply }>> =
  {
    "endless-late": {
      fields: "max_turns: 2\n",
      does: (request) => (isLastTurn(request) ? handOver("late, but there") : look(request))
    },
    endless: { fields: "max_turns: 2\n", does: look },
    "slow-late": {
      fields: "timeout_mins: 0.01\n",
      does: (request) => (isLastTurn(request) ? handOver("slow, but there") : sent(say("hm"), { ending: "hang" }))
    },
    slow: {
      fields: "timeout_mins: 0.01\n",
      does: (request) => (isLastTurn(request) ? say("no time") : sent(say("hm"), { ending: "hang" }))
    },
    silent: { does: () => say("I would rather not.") },
    sloppy: { does: (request) => (isAfterTools(request) ? handOver("now a text") : handOver({ not: "a text" })) },
    recursive: {
      does: (request) =>
        isAfterTools(request)
          ? handOver(lastParts(request))
          : ask(
              call("invoke_agent", { agent_name: "recursive", prompt: "again" }),
              call("read_file", { file_path: "x" })
            )
    },
    refused: {
      does: (request) =>
        isAfterTools(request) ? handOver(lastParts(request)) : ask(call("run_shell_command", { command: "touch made" }))
    }
  }

const playing = (request: ModelRequest): Reply => {
  const name = /task of ([a-z-]+)\./.exec(conversationOf(request))?.[1] ?? ""
  return AGENTS[name]?.does(request) ?? say(`nobody is called ${name}`)
}

describe("eight agents at once, each with its own fault", () => {
  test("each ends as it has to, and is told in its place; the run succeeds", async () => {
    await using place = await newWorkspace()
    const names = Object.keys(AGENTS)
    for (const name of names) {
      await place.write(`home/.gemini/agents/${name}.md`, agentFile(name, AGENTS[name]?.fields))
    }
    const tasks = names.map((agent) => ({ agent, prompt: `The task of ${agent}.` }))
    await using server = await startModelServer(delegating(tasks, playing), { strict: true })
    const run = await place.run(["-p", "go", "-o", "stream-json"], { server })
    expect(run.exitCode).toBe(0)
    const events = eventsOf(run)
    const steps = stepsOf(events)
    const ofType = <Type extends Step["type"]>(type: Type) =>
      new Map(
        steps.flatMap(({ agent, event }) =>
          event.type === type ? [[agent, event as Extract<Step, { readonly type: Type }>] as const] : []
        )
      )
    const ends = [...ofType("finished")].map(([agent, { reason }]) => [agent, reason])
    expect(Object.fromEntries(ends)).toEqual({
      "endless-late": "GOAL",
      endless: "MAX_TURNS",
      "slow-late": "GOAL",
      slow: "TIMEOUT",
      silent: "ERROR_NO_COMPLETE_TASK_CALL",
      sloppy: "GOAL",
      recursive: "GOAL",
      refused: "GOAL"
    })
    const recoveries = [...ofType("recovery")].map(([agent, { reason, success }]) => [agent, [reason, success]])
    expect(Object.fromEntries(recoveries)).toEqual({
      "endless-late": ["MAX_TURNS", true],
      endless: ["MAX_TURNS", false],
      "slow-late": ["TIMEOUT", true],
      slow: ["TIMEOUT", false],
      silent: ["ERROR_NO_COMPLETE_TASK_CALL", false]
    })

    // Answers stand in the order of the calls, each with what its caller has to know.
    const results = events.filter(({ type }) => type === "tool_result")
    const statuses = results.map(({ status }) => status)
    expect(statuses).toEqual(names.map((name) => (name === "silent" ? "error" : "success")))
    const answers = JSON.parse(lastParts(server.generations.at(-1))).map((part: unknown) => JSON.stringify(part))
    const answerOf = (name: string) => answers[names.indexOf(name)]
    for (const name of names) expect(answerOf(name)).toContain(`Subagent '${name}' finished.`)
    expect(answerOf("endless-late")).toContain("late, but there")
    expect(answerOf("endless")).toContain("used up all 2 turns")
    expect(answerOf("slow")).toContain("used up the time of 0.01 minutes")
    expect(answerOf("silent")).toContain("Its last words were:\\nI would rather not.")
    expect(answerOf("sloppy")).toContain("now a text")
    expect(answerOf("recursive")).toContain("not available to this agent")
    expect(answerOf("refused")).toContain("run_shell_command")

    const taken = steps.flatMap(({ agent, event }) =>
      agent === "sloppy" && event.type === "tool_result" ? [event.status] : []
    )
    expect(taken).toEqual(["error", "success"])
    expect(existsSync(join(place.cwd, "made"))).toBe(false)
    expect(events.at(-1)).toMatchObject({ status: "success", permission_denials: [{ tool_name: "run_shell_command" }] })
  }, 30_000)
})

describe("a cancelled run", () => {
  const hanging = (request: ModelRequest): Reply =>
    isAgent(request)
      ? sent(say("thinking"), { ending: "hang" })
      : ask(call("invoke_agent", { agent_name: "generalist", prompt: "wait" }))

  test("headless ends its agent, and says so", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(hanging)
    const run = place.start(["-p", "go", "-o", "stream-json"], { server })
    await server.received(2)
    run.kill("SIGINT")
    const result = await run.result
    expect(result.exitCode).toBe(130)
    const events = eventsOf(result)
    expect(events.at(-1)).toMatchObject({ type: "result", completion_reason: "cancelled" })
    expect(stepsOf(events)[0]?.event).toMatchObject({ type: "started", prompt: "wait" })
    await server.someoneLeft()
  }, 30_000)

  test("at a terminal goes on with the conversation", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer((request, index) => (index > 1 ? say("Here I am.") : hanging(request)))
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows("Type your message")
    session.type("go\r")
    await server.received(2)
    session.type("\u0003")
    await session.shows("Request cancelled.")
    await server.someoneLeft()
    session.type("are you there?\r")
    await session.shows("Here I am.")
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
  }, 40_000)

  test("a person who says no is heard by the agent, and it goes on", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(
      delegating([{ agent: "generalist", prompt: "touch it" }], (request) =>
        isAfterTools(request)
          ? ask(call("complete_task", { result: { response: "left it alone" } }))
          : ask(call("run_shell_command", { command: "touch made" }))
      )
    )
    const session = startInTerminal(place, ["--model", "gemini-2.5-flash"], { server })
    await session.shows("Type your message")
    session.type("go\r")
    await session.shows("Allow? ")
    session.type("n\r")
    await session.shows("All is done.")
    const agent = server.generations.findLast(isAgent)
    expect(lastParts(agent)).toContain("think again")
    expect(lastParts(server.generations.at(-1))).toContain("left it alone")
    expect(existsSync(join(place.cwd, "made"))).toBe(false)
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
  }, 40_000)
})
