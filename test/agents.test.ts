/** Sub-agents of the compiled binary, driven by the scripted model: their work, limits, failures and events. */
import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { startA2aServer } from "./kit/a2a-server.ts"
import { bodyOf, delegating, isAfterTools, lastParts, stepsOf, toolsOf } from "./kit/agent-run.ts"
import { eventsOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const SCOUT = `---
name: scout
description: Looks around.
tools: [read_file, list_directory]
max_turns: 2
model: gemini-2.5-flash
temperature: 0.3
---
You look around.
`

describe("a sub-agent", () => {
  test("that inherits an automatic model is classified once, and answers", async () => {
    await using workspace = await newWorkspace()
    await workspace.write(
      "home/.gemini/agents/poet.md",
      "---\nname: poet\ndescription: Writes.\n---\nYou are a poet.\n"
    )
    const play = delegating([{ agent: "poet", prompt: "Write." }], () =>
      ask(call("complete_task", { result: "a poem" }))
    )
    await using server = await startModelServer(
      (request) =>
        JSON.stringify(request.body).includes("complexity_score")
          ? say(JSON.stringify({ complexity_reasoning: "easy", complexity_score: 10 }))
          : play(request),
      { classifier: "scripted" }
    )
    const run = await workspace.run(["-p", "go", "-o", "stream-json"], { server })
    expect(run.exitCode).toBe(0)
    expect(eventsOf(run).find(({ type }) => type === "tool_result")).toMatchObject({ output: "a poem" })
  })

  test("works with its own tools and model; its steps, numbers and session are told", async () => {
    await using workspace = await newWorkspace()
    await workspace.write("home/.gemini/agents/scout.md", SCOUT)
    await workspace.write("work/a.txt", "the content")
    await using server = await startModelServer(
      delegating([{ agent: "scout", prompt: "What is in a.txt?" }], (request) =>
        isAfterTools(request)
          ? ask(call("complete_task", { result: "it says: the content" }))
          : ask(call("read_file", { file_path: "a.txt" }))
      ),
      { strict: true }
    )
    const run = await workspace.run(["-m", "gemini-2.5-pro", "-p", "go", "-o", "stream-json"], { server })
    expect(run.exitCode).toBe(0)
    const events = eventsOf(run)
    const steps = events.filter(({ type }) => type === "subagent")
    const invoked = events.find(({ type }) => type === "tool_use")
    expect(steps.map(({ event }) => (event as { type: string }).type)).toEqual([
      ...["started", "tool_use", "tool_result", "tool_use", "tool_result", "finished"]
    ])
    for (const step of steps) {
      expect(step).toEqual({
        type: "subagent",
        timestamp: expect.any(String),
        agent: "scout",
        tool_id: invoked?.tool_id,
        event: expect.objectContaining({ type: expect.any(String) })
      })
    }
    expect(steps.at(-1)?.event).toMatchObject({ reason: "GOAL", turns: 2 })
    expect(events.find(({ type }) => type === "tool_result")).toMatchObject({ output: "it says: the content" })
    expect(events.at(-1)).toMatchObject({ type: "result", status: "success", stats: { tool_calls: 3 } })

    const [first, second, third, last] = server.generations
    expect(server.generations).toHaveLength(4)
    expect([first, second, third, last].map((request) => request?.model)).toEqual([
      ...["gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash", "gemini-2.5-pro"]
    ])
    expect(second === undefined ? [] : toolsOf(second)).toEqual(["list_directory", "read_file", "complete_task"])
    expect(JSON.stringify(first?.body)).toContain("Looks around.")
    expect(lastParts(last)).toContain("Subagent 'scout' finished.")

    const chats = join(workspace.home, ".gemini/tmp/work/chats")
    const folder = readdirSync(chats).find((name) => !name.startsWith("session-")) ?? ""
    const [file = ""] = readdirSync(join(chats, folder)).filter((name) => name.endsWith(".jsonl"))
    const [opening = ""] = (await workspace.read(join(chats, folder, file))).split("\n")
    expect(JSON.parse(opening)).toMatchObject({ kind: "subagent", directories: [workspace.cwd] })
    const listed = await workspace.run(["--list-sessions"])
    expect(listed.stdout).not.toContain("scout")
  }, 30_000)

  test("eight of them at once, each answered in its place; the run's limit of turns counts them all", async () => {
    await using workspace = await newWorkspace()
    const tasks = Array.from({ length: 8 }, (_, index) => ({ agent: "generalist", prompt: `task ${index}` }))
    await using server = await startModelServer(
      delegating(tasks, (request) => {
        const task = /task \d/.exec(JSON.stringify(bodyOf(request).contents[0]))?.[0]
        return ask(call("complete_task", { result: { response: `${task} done` } }))
      }),
      { strict: true }
    )
    const run = await workspace.run(["-p", "go", "-o", "json"], { server })
    expect(run.exitCode).toBe(0)
    const last = server.generations.at(-1)
    const answers = last === undefined ? [] : (bodyOf(last).contents.at(-1)?.parts ?? [])
    expect(answers.map((part) => /task \d done/.exec(JSON.stringify(part))?.[0])).toEqual(
      tasks.map(({ prompt }) => `${prompt} done`)
    )
    expect(JSON.parse(run.stdout).stats.tools.byName).toMatchObject({
      invoke_agent: { count: 8 },
      complete_task: { count: 8 }
    })
    const limited = await workspace.run(["-p", "go", "-o", "json", "--max-turns", "4"], { server })
    expect(limited.exitCode).toBe(53)
    expect(JSON.parse(limited.stdout).completion_reason).toBe("max_turns")
  }, 30_000)

  test("of a broken file is told with its line, of a project waits, chosen with @ is noted", async () => {
    await using workspace = await newWorkspace()
    await workspace.write("home/.gemini/agents/bad.md", "---\nname: bad\ndescription: d\nturns: 3\n---\nx")
    await workspace.write("work/.gemini/agents/ours.md", SCOUT.replace("name: scout", "name: ours"))
    await using server = await startModelServer(() => say("ok"))
    await workspace.write("home/.gemini/trustedFolders.json", JSON.stringify({ [workspace.cwd]: "TRUST_FOLDER" }))
    const env = { GEMINI_CLI_TRUST_WORKSPACE: undefined }
    const run = await workspace.run(["-p", "@generalist do it"], { server, env })
    expect(run.exitCode).toBe(0)
    expect(run.stderr).toContain("bad.md:4: turns: there is no such field")
    expect(run.stderr).toContain("agents of this project are not used, because they are new or have changed: ours")
    expect(JSON.stringify(server.generations[0]?.body)).not.toContain("<name>ours</name>")
    expect(lastParts(server.generations[0])).toContain('the user chose the sub-agent \\"generalist\\"')
    const listed = await workspace.run(["-p", "/agents list"], { server, env })
    expect(listed.stdout).toContain("generalist (local, built-in)")
    expect(listed.stdout).toContain("ours (local, project): waits for your agreement")
    // Whoever trusts the folder for this run takes what is in it.
    const trusting = await workspace.run(["-p", "/agents list"], { server })
    expect(trusting.stdout).not.toContain("waits for your agreement")
    expect(trusting.stdout).toContain("ours (local, project)")
    const off = await workspace.run(["-p", "/agents disable generalist"], { server })
    expect(off.stdout).toContain("agents.overrides.generalist.enabled is false")
    expect(await workspace.read("home/.gemini/settings.json")).toContain('"enabled": false')
    const without = await workspace.run(["-p", "hi"], { server })
    expect(without.exitCode).toBe(0)
    expect(JSON.stringify(server.generations.at(-1)?.body)).not.toContain("<name>generalist</name>")
  }, 30_000)
})

test("cli_help reads the documentation that the binary carries", async () => {
  await using place = await newWorkspace()
  const asked = [{}, { path: "docs/agents.md" }, { path: "agent.md" }]
  await using server = await startModelServer(
    delegating([{ agent: "cli_help", prompt: "How do I write an agent?" }], () => {
      const next = asked.shift()
      return next === undefined
        ? ask(call("complete_task", { report: { answer: "as a file", sources: ["agents.md"] } }))
        : ask(call("get_internal_docs", next))
    }),
    { strict: true }
  )
  const run = await place.run(["-p", "go", "-o", "stream-json"], { server })
  expect(run.exitCode).toBe(0)
  const [list, document, unknown] = stepsOf(eventsOf(run)).flatMap(({ event }) =>
    event.type === "tool_result" ? [event] : []
  )
  expect(list?.output).toMatch(/^README\.md$[\s\S]*^agents\.md$/m)
  expect(document?.output).toBe(await Bun.file(join(import.meta.dir, "../docs/agents.md")).text())
  expect(unknown).toMatchObject({ status: "error", output: expect.stringContaining("Did you mean agents.md?") })
  expect(lastParts(server.generations.at(-1))).toContain("as a file")
}, 30_000)

test("settings of the browser agent are told to have no effect", async () => {
  await using place = await newWorkspace()
  await place.write(
    "home/.gemini/settings.json",
    '{ "agents": { "browser": { "headless": true }, "overrides": { "browser_agent": { "enabled": true } } } }'
  )
  await using server = await startModelServer([say("ok")])
  const run = await place.run(["-p", "hi"], { server })
  expect(run).toMatchObject({ exitCode: 0, stdout: "ok\n" })
  expect(run.stderr).toContain(
    "agents.overrides.browser_agent, agents.browser.headless: there is no browser agent, so this has no effect."
  )
})

describe("a remote agent", () => {
  const remote = (cardUrl: string) => `---\nkind: remote\nname: far\nagent_card_url: ${cardUrl}\n---\n`
  const policy = '[[rule]]\ntoolName = "far"\ndecision = "allow"\npriority = 100\n'

  test("is described by its card, refused where nobody can be asked, and called where a rule allows it", async () => {
    await using workspace = await newWorkspace()
    await using far = startA2aServer()
    await workspace.write("home/.gemini/agents/far.md", remote(far.cardUrl))
    const prompts = ["stream it", "fail", "ask me"]
    await using server = await startModelServer((request) =>
      isAfterTools(request)
        ? say("ok")
        : ask(...prompts.map((prompt) => call("invoke_agent", { agent_name: "far", prompt })))
    )
    const refused = await workspace.run(["-p", "go", "-o", "json"], { server })
    expect(refused.exitCode).toBe(0)
    expect(JSON.parse(refused.stdout).permission_denials).toHaveLength(3)
    expect(far.received).toEqual([])
    expect(JSON.stringify(server.generations[0]?.body)).toContain("Far sight: Sees far.")

    await workspace.write("home/.gemini/policies/far.toml", policy)
    const run = await workspace.run(["-p", "go", "-o", "stream-json"], { server })
    expect(run.exitCode).toBe(0)
    const results = eventsOf(run).filter(({ type }) => type === "tool_result")
    expect(results.map(({ status }) => status)).toEqual(["success", "error", "success"])
    const answers = lastParts(server.generations.at(-1))
    expect(answers).toContain("part one, part two")
    expect(answers).toContain("the disk is gone")
    expect(answers).toContain("The task is open: the agent waits for an answer.")
  }, 30_000)

  test("that cannot be reached costs the run nothing but a word", async () => {
    await using workspace = await newWorkspace()
    await workspace.write("home/.gemini/agents/far.md", remote("http://127.0.0.1:9/card.json"))
    await using server = await startModelServer(() => say("hello"))
    const run = await workspace.run(["-p", "hi"], { server })
    expect(run).toMatchObject({ exitCode: 0, stdout: "hello\n" })
    expect(run.stderr).toContain("agent far is not offered: http://127.0.0.1:9/card.json cannot be reached")
  }, 30_000)
})
