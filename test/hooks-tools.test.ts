/** Hooks around a tool call: what they read, and what comes of it for the call, the run and the next session. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { answering, runHooked, specific } from "./kit/hook-run.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"

const seen = (place: Workspace, name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(place.root, name), "utf8"))
const write = (name: string, content = "x") => call("write_file", { file_path: name, content })

describe("BeforeTool", () => {
  test("refuses a call, and the model goes on; allow does not lift a rule", async () => {
    await using place = await newWorkspace()
    const guard = `input=$(cat); case $input in *'"command":"rm '*) echo 'no rm here' >&2; exit 2;; esac; ${answering({ decision: "allow" })}`
    const run = await runHooked(
      place,
      { BeforeTool: [{ matcher: "run_shell_command", name: "guard", command: guard }] },
      [ask(call("run_shell_command", { command: "rm a" }), call("glob", { pattern: "*" })), say("fine")],
      { args: ["--fail-on-denied"] }
    )
    expect(run.result.exitCode).toBe(56)
    expect(run.document.permission_denials).toMatchObject([
      { tool_name: "run_shell_command", reason: "a hook refused it: no rm here" }
    ])
    expect(run.bodies[1]).toContain("Tool execution blocked: a hook refused it: no rm here")
    const ruled = await runHooked(
      place,
      { BeforeTool: [answering({ decision: "allow" })] },
      [ask(write("b.txt")), say("fine")],
      {
        settings: { tools: { exclude: ["write_file"] } }
      }
    )
    expect(existsSync(join(place.cwd, "b.txt"))).toBe(false)
    expect(ruled.result.exitCode).toBe(0)
  })

  test("ask is a refusal where nobody can be asked", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      { BeforeTool: [answering({ decision: "ask", systemMessage: "are you sure" })] },
      [ask(write("a.txt")), say("fine")]
    )
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    expect(run.document.permission_denials).toMatchObject([
      { tool_name: "write_file", reason: expect.stringContaining("nobody can be asked: are you sure") }
    ])
  })

  test("stops the run: later calls are not made, and every call has its answer", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      { BeforeTool: [{ matcher: "write_file", command: answering({ continue: false, stopReason: "halt" }) }] },
      [ask(write("a.txt"), call("run_shell_command", { command: "touch b" }))]
    )
    expect(run.document).toMatchObject({
      completion_reason: "stopped_by_hook",
      warnings: ["Agent execution stopped: halt"]
    })
    expect(run.result.stderr).toContain("Agent execution stopped by hook: halt")
    expect([existsSync(join(place.cwd, "a.txt")), existsSync(join(place.cwd, "b"))]).toEqual([false, false])
    const next = await runHooked(place, {}, [say("fine")], { args: ["--resume"] })
    expect(next.bodies[0]?.match(/functionResponse/g)).toHaveLength(2)
  })
})

describe("AfterTool", () => {
  test("formats what was written, adds to the result, and sees it; undo takes the whole change back", async () => {
    await using place = await newWorkspace()
    const format = `cat > ../tool.json; tr a-z A-Z < a.txt > b && mv b a.txt; ${specific({ additionalContext: "formatted <b>" })}`
    const run = await runHooked(place, { AfterTool: [{ matcher: "write_file", command: format }] }, [
      ask(write("a.txt", "hello")),
      say("fine")
    ])
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("HELLO")
    expect(run.bodies[1]).toContain("<hook_context>formatted &lt;b&gt;</hook_context>")
    const input = seen(place, "tool.json")
    expect(input).toMatchObject({ tool_name: "write_file", tool_input: { file_path: "a.txt", content: "hello" } })
    expect(Object.keys(input.tool_response as object)).toEqual(["llmContent", "returnDisplay"])
    expect((await place.run(["undo", "--yes"])).exitCode).toBe(0)
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
  })

  test("refuses a result; hears of failures; not of calls that were never made", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      {
        BeforeTool: [{ matcher: "glob", command: "exit 2" }],
        AfterTool: [
          {
            command: `cat >> ../tools.jsonl; echo >> ../tools.jsonl; ${answering({ decision: "block", reason: "unclean" })}`
          }
        ]
      },
      [ask(write("a.txt"), call("read_file", { file_path: "none" }), call("glob", { pattern: "*" })), say("fine")]
    )
    expect(run.bodies[1]?.match(/The result was refused by a hook: unclean/g)).toHaveLength(2)
    const calls = readFileSync(join(place.root, "tools.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(calls.map(({ tool_name, tool_response }) => [tool_name, tool_response.error !== undefined])).toEqual([
      ["write_file", false],
      ["read_file", true]
    ])
  })

  test("hands over to another call, whose answer stands for the first", async () => {
    await using place = await newWorkspace()
    await place.write("work/other.txt", "from the other file")
    const run = await runHooked(
      place,
      {
        AfterTool: [
          {
            matcher: "write_file",
            command: specific({ tailToolCallRequest: { name: "read_file", args: { file_path: "other.txt" } } })
          }
        ],
        BeforeTool: [{ matcher: "read_file", command: "cat > ../tail.json" }]
      },
      [ask(write("a.txt")), say("fine")]
    )
    expect(run.bodies[1]).toContain("from the other file")
    expect(run.bodies[1]).toContain('"name":"write_file"')
    expect(seen(place, "tail.json").original_request_name).toBe("write_file")
  })
})
