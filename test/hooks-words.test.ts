/** Fields that every event knows, and how each output format says that a hook ended the work. */
import { describe, expect, test } from "bun:test"
import { eventsOf } from "./kit/documents.ts"
import { answering, runHooked } from "./kit/hook-run.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

/** Those of every headless run with a tool call. */
const EVENTS = [
  ...["SessionStart", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "AfterModel"],
  ...["BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"]
]
const WORK = [ask(call("write_file", { file_path: "a.txt", content: "x" })), say("fine")]
const everywhere = (events: ReadonlyArray<string>, outputOf: (event: string) => object) =>
  Object.fromEntries(events.map((event) => [event, [{ name: event, command: answering(outputOf(event)) }]]))

describe("at every event", () => {
  test("systemMessage is for the person under the hook's name, and not for the model; suppressOutput hides it", async () => {
    await using place = await newWorkspace()
    const words = (event: string) => `${event} has a word`
    const loud = await runHooked(
      place,
      everywhere(EVENTS, (event) => ({ systemMessage: words(event) })),
      WORK
    )
    for (const event of EVENTS) expect(loud.result.stderr).toContain(`[INFO] ${event}: ${words(event)}`)
    expect(loud.document).toMatchObject({ response: "fine", completion_reason: "success" })
    expect(loud.bodies.join()).not.toContain("has a word")
    const quiet = await runHooked(
      place,
      everywhere(EVENTS, (event) => ({ systemMessage: words(event), suppressOutput: true })),
      WORK
    )
    expect(quiet.result.stderr).not.toContain("has a word")
  })

  const withoutTool = EVENTS.filter((event) => event !== "BeforeTool")
  test.each<[what: string, events: ReadonlyArray<string>, output: object]>([
    ["allow, with reasons for nothing", EVENTS, { decision: "allow", reason: "r", stopReason: "s", continue: true }],
    ["approve", EVENTS, { decision: "approve" }],
    ["ask, where no call is judged", withoutTool, { decision: "ask", reason: "r" }],
    [
      "a stop and a refusal at the ends of a session",
      ["SessionStart", "SessionEnd"],
      { continue: false, decision: "deny" }
    ],
    ["fields of other events", EVENTS, { hookSpecificOutput: { unknown: 1, hookEventName: "Other" } }]
  ])("nothing comes of: %s", async (_, events, output) => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      everywhere(events, () => output),
      WORK
    )
    expect(run.document).toMatchObject({ response: "fine", completion_reason: "success" })
    expect(run.document.warnings).toBeUndefined()
    expect(run.bodies).toHaveLength(2)
    expect(await place.read("work/a.txt")).toBe("x")
  })
})

test("a prompt that was stopped is part of the conversation, one that was refused is not", async () => {
  await using place = await newWorkspace()
  await runHooked(place, {}, [say("fine")])
  const halted = (output: object, prompt: string) =>
    runHooked(place, { BeforeAgent: [answering(output)] }, [], { args: ["--resume", "-p", prompt] })
  await halted({ continue: false, stopReason: "s" }, "the stopped one")
  await halted({ decision: "deny", reason: "r" }, "the refused one")
  const next = await runHooked(place, {}, [say("fine")], { args: ["--resume", "-p", "the last one"] })
  expect(next.contents[0]).toContain("the stopped one")
  expect(next.contents[0]).not.toContain("the refused one")
  expect(next.contents[0]).toContain("the last one")
})

test("stop and block in each format: json has warnings, stream-json an error event for a block, text a line on stderr", async () => {
  await using place = await newWorkspace()
  const without = { env: { GEMINI_API_KEY: "k" } }
  const halt = async (output: object) => {
    const { document } = await runHooked(place, { BeforeAgent: [answering(output)] }, [])
    const events = eventsOf(await place.run(["-p", "x", "-o", "stream-json"], without))
    const text = await place.run(["-p", "x"], without)
    expect([text.stdout, text.exitCode]).toEqual(["", 0])
    return { document, events, stderr: text.stderr }
  }
  const stopped = await halt({ continue: false, stopReason: "s" })
  expect(stopped.document).toMatchObject({
    completion_reason: "stopped_by_hook",
    warnings: ["Agent execution stopped: s"]
  })
  expect(stopped.events.map(({ type }) => type)).toEqual(["init", "message", "result"])
  expect(stopped.events.at(-1)).toMatchObject({ status: "success", completion_reason: "stopped_by_hook" })
  expect(stopped.stderr).toContain("Agent execution stopped: s")
  const blocked = await halt({ decision: "block", reason: "b" })
  expect(blocked.document).toMatchObject({ warnings: ["Agent execution blocked: b"] })
  expect(blocked.events[2]).toMatchObject({
    type: "error",
    severity: "warning",
    message: "Agent execution blocked: b"
  })
  expect(blocked.stderr).toContain("[WARNING] Agent execution blocked: b")
})
