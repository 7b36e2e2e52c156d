/** The stream-json format: one event a line, from `init` to `result`. */
import { expect, test } from "bun:test"
import { eventsOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, chunk, finish, MODEL_VERSION, say, text, thought } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test("success: every event, in order", async () => {
  await using server = await startModelServer([say("Hello ", "world")])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "-o", "stream-json", "-m", "some-model"], { server })
  const tokens = { total_tokens: 17, input_tokens: 10, output_tokens: 5, cached: 4, input: 6 }
  const events = eventsOf(result)
  expect(events.slice(0, 4)).toEqual([
    {
      type: "init",
      timestamp: TIMESTAMP,
      session_id: expect.any(String),
      model: "some-model",
      trust: "trusted",
      schema_version: 1
    },
    { type: "message", timestamp: TIMESTAMP, role: "user", content: "hi" },
    { type: "message", timestamp: TIMESTAMP, role: "assistant", content: "Hello ", delta: true },
    { type: "message", timestamp: TIMESTAMP, role: "assistant", content: "world", delta: true }
  ])
  expect(events.slice(4)).toEqual([
    {
      type: "result",
      timestamp: TIMESTAMP,
      status: "success",
      stats: {
        ...tokens,
        duration_ms: expect.any(Number),
        tool_calls: 0,
        models: { [MODEL_VERSION]: tokens },
        cost_usd: null
      },
      completion_reason: "success",
      permission_denials: [],
      hidden_tools: expect.any(Array)
    }
  ])
  expect(result.stderr).toBe("")
  expect(result.exitCode).toBe(0)
})

test("the model of init is the configured name, not the resolved one", async () => {
  await using server = await startModelServer([say("x")])
  await using place = await newWorkspace()
  const [init] = eventsOf(await place.run(["-p", "hi", "-o", "stream-json"], { server }))
  expect(init).toMatchObject({ type: "init", model: "auto" })
})

test("tool calls: the request when it is made, results in order after the turn", async () => {
  await using server = await startModelServer([
    answer([
      chunk(text("Looking.")),
      chunk(call("first_tool", { a: 1 }, { id: "c-1" }), call("second_tool", {}, { id: "c-2" })),
      finish("STOP")
    ]),
    say("Done.")
  ])
  await using place = await newWorkspace()
  const events = eventsOf(await place.run(["-p", "hi", "-o", "stream-json"], { server }))
  expect(events.map((event) => event.type)).toEqual([
    "init",
    "message",
    "message",
    "tool_use",
    "tool_use",
    "tool_result",
    "tool_result",
    "message",
    "result"
  ])
  const [use1, use2, result1, result2] = events.slice(3, 7)
  expect(use1).toMatchObject({ tool_name: "first_tool", parameters: { a: 1 }, tool_id: expect.any(String) })
  expect(result1).toMatchObject({
    tool_id: use1?.tool_id,
    status: "error",
    output: expect.stringContaining('Tool "first_tool" not found'),
    error: { type: "tool_not_registered", message: expect.stringContaining('Tool "first_tool" not found') }
  })
  expect(result2?.tool_id).toBe(use2?.tool_id)
  expect(events.at(-1)).toMatchObject({ status: "success", stats: { tool_calls: 2 } })
})

test("a call without an id gets one, and its result carries the same", async () => {
  await using server = await startModelServer([ask(call("nameless")), say("ok")])
  await using place = await newWorkspace()
  const events = eventsOf(await place.run(["-p", "hi", "-o", "stream-json"], { server }))
  const use = events.find((event) => event.type === "tool_use")
  const result = events.find((event) => event.type === "tool_result")
  expect(use?.tool_id).toBeString()
  expect(result?.tool_id).toBe(use?.tool_id)
})

test("an untrusted folder is a mode, not an error, and init says so", async () => {
  await using server = await startModelServer([say("x")])
  await using place = await newWorkspace()
  const env = { GEMINI_CLI_TRUST_WORKSPACE: undefined }
  // The way to trust it is said where something of it was left out.
  await place.write("work/.gemini/settings.json", '{ "ui": { "wrap": "hard" } }')
  const result = await place.run(["-p", "hi", "-o", "stream-json"], { server, env })
  expect(eventsOf(result)[0]).toMatchObject({ type: "init", trust: "untrusted" })
  expect(result.stderr).toContain("--skip-trust")
  expect(result.exitCode).toBe(0)
})

test("thoughts are events with --verbose, its variable or the setting; other formats tell them on stderr", async () => {
  const thinking = answer([chunk(thought("Plan", "look first")), chunk(text("done")), finish("STOP")])
  await using server = await startModelServer(() => thinking)
  await using place = await newWorkspace()
  const args = ["-p", "hi", "-m", "gemini-2.5-flash"]
  const thoughts = async (more: ReadonlyArray<string>, env = {}) =>
    eventsOf(await place.run([...args, "-o", "stream-json", ...more], { server, env })).filter(
      ({ type }) => type === "thought"
    )
  expect(await thoughts([])).toEqual([])
  const line = { type: "thought", timestamp: TIMESTAMP, subject: "Plan", description: "look first" }
  expect(await thoughts(["--verbose"])).toEqual([line])
  expect(await thoughts([], { GEMINI_VERBOSE: "1" })).toEqual([line])
  await place.write("work/.gemini/settings.json", '{"output":{"events":["thought"]}}')
  expect(await thoughts([])).toEqual([line])
  const told = await place.run([...args, "--verbose"], { server })
  expect(told).toMatchObject({ stdout: "done\n", stderr: expect.stringContaining("[thought] Plan: look first\n") })
  const both = await place.run([...args, "--verbose", "--quiet"], { server })
  expect(both).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("exclude each other") })
})

test("every line is flushed as it comes", async () => {
  await using server = await startModelServer([answer([chunk(text("early"))], { ending: "hang" })])
  await using place = await newWorkspace()
  const run = place.start(["-p", "hi", "-o", "stream-json"], { server })
  while (!run.stdoutSoFar().includes('"early"')) await Bun.sleep(10)
  run.kill("SIGTERM")
  expect(eventsOf(await run.result).at(-1)).toMatchObject({ type: "result", status: "error" })
})
