/** Calls as such: unknown names, several in a turn, bad arguments, what is offered, what a tool of the user's may do. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, expectAnswer, inTurns, tool } from "./kit/tool-run.ts"

describe("names and arguments", () => {
  test("an unknown tool is answered with the closest names", async () => {
    await using place = await newWorkspace()
    const run = await callTools(place, inTurns(tool("read_fil", { file_path: "a" }), tool("globe", { pattern: "*" })))
    const [file, globe] = run.answers
    expect(file?.error).toMatch(/^Tool "read_fil" not found.*"read_file"/)
    expect(globe?.error).toContain('"glob"')
    expectAnswer(file, { type: "tool_not_registered", status: "error" })
    expect(run.result.stderr).toContain('Error executing tool read_fil: Tool "read_fil" not found')
    expect(run.end.permission_denials).toEqual([])
  })

  test("arguments that are missing, of a wrong kind, superfluous or huge", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "content")
    const run = await callTools(place, [
      [
        tool("read_file", {}),
        tool("read_file", { file_path: ["a.txt"] }),
        tool("read_file", { file_path: null }),
        tool("read_file", { file_path: "a.txt", start_line: 1.5 }),
        tool("read_file", { file_path: "a.txt", wait_for_previous: false, invented: { deep: true } }),
        tool("glob", { pattern: "x".repeat(1_000_000) }),
        tool("grep_search", { pattern: "(".repeat(10_000) })
      ]
    ])
    expect(run.result.exitCode).toBe(0)
    expect(run.answers.slice(0, 4).map(({ type }) => type)).toEqual(Array(4).fill("invalid_tool_params"))
    expect(run.answers[0]?.error).toContain("file_path")
    expect(run.answers[4]?.output).toBe('content\n\nIgnored, because this tool has no such argument: "invented".')
    const [glob, grep] = run.answers.slice(5)
    expect(glob).toMatchObject({ type: "glob_execution_error" })
    expect(grep?.error).toStartWith("The pattern is not a valid regular expression")
    // What the model sent is not sent back to it many times over.
    expect(glob?.error?.length).toBeLessThan(1_000)
    expect(grep?.error?.length).toBeLessThan(12_000)
  })
})

describe("several calls of one turn", () => {
  test("reads run side by side; responses and events keep the order of the calls", async () => {
    await using place = await newWorkspace()
    const names = Array.from({ length: 50 }, (_, index) => `f${index}.txt`)
    for (const name of names) await place.write(`work/${name}`, name)
    const run = await callTools(place, [names.map((name) => tool("read_file", { file_path: name }))])
    expect(run.answers.map(({ output }) => output)).toEqual(names)
    const order = run.events.filter(({ type }) => type === "tool_use" || type === "tool_result")
    expect(order.map(({ type }) => type)).toEqual([...Array(50).fill("tool_use"), ...Array(50).fill("tool_result")])
    expect(order.slice(0, 50).map(({ tool_id }) => tool_id)).toEqual(order.slice(50).map(({ tool_id }) => tool_id))
    expect(order[0]).toMatchObject({ tool_name: "read_file", parameters: { file_path: "f0.txt" } })
  })

  test("what changes something runs alone and in its place", async () => {
    await using place = await newWorkspace()
    const run = await callTools(
      place,
      [
        [
          tool("write_file", { file_path: "log", content: "" }),
          tool("run_shell_command", { command: "sleep 0.3; echo one >> log" }),
          tool("run_shell_command", { command: "echo two >> log" }),
          tool("read_file", { file_path: "log" }),
          tool("replace", { file_path: "log", instruction: "i", old_string: "one", new_string: "ONE" }),
          tool("read_file", { file_path: "log" })
        ]
      ],
      { args: ["--yolo"] }
    )
    expect(run.answers[3]?.output).toBe("one\ntwo\n")
    expect(run.answers[5]?.output).toBe("ONE\ntwo\n")
  })

  test("wait_for_previous: false lets commands overlap", async () => {
    await using place = await newWorkspace()
    // Each waits for the other: they end only if both run at the same time.
    const meet = (mine: string, other: string) =>
      tool("run_shell_command", {
        command: `touch ${mine}; for i in $(seq 100); do [ -e ${other} ] && echo met && exit; sleep 0.05; done; echo alone`,
        wait_for_previous: false
      })
    const run = await callTools(place, [[meet("a", "b"), meet("b", "a")]], { args: ["--yolo"] })
    expect(run.answers.map(({ output }) => output?.includes("Output: met"))).toEqual([true, true])
  })
})

describe("credentials in what tools give", () => {
  test("are replaced by their name for the model and in the events", async () => {
    await using place = await newWorkspace()
    const key = "AIza-very-secret-key-0123456789"
    await place.write("work/config.txt", `key = ${key}\n`)
    const run = await callTools(
      place,
      inTurns(
        tool("read_file", { file_path: "config.txt" }),
        tool("grep_search", { pattern: "key" }),
        tool("run_shell_command", { command: "cat config.txt; exit 1" }),
        tool("write_file", { file_path: "config.txt", content: "key = [REDACTED:GEMINI_API_KEY]\nmore\n" }),
        tool("replace", {
          file_path: "config.txt",
          instruction: "i",
          old_string: "key = [REDACTED:GEMINI_API_KEY]",
          new_string: "token = [REDACTED:GEMINI_API_KEY]"
        })
      ),
      { args: ["--yolo"], env: { GEMINI_API_KEY: key } }
    )
    expect(run.answers[0]?.output).toBe("key = [REDACTED:GEMINI_API_KEY]\n")
    expect(run.answers[2]?.output).toContain("key = [REDACTED:GEMINI_API_KEY]")
    expect(run.answers[3]?.status).toBe("error")
    expect(await place.read("work/config.txt")).toBe(`token = ${key}\n`)
    expect(JSON.stringify(run.bodies)).not.toContain(key)
    expect(run.result.stdout).not.toContain(key)
    expect(run.result.stderr).not.toContain(key)
  })
})

describe("tools of a discovery command", () => {
  const DISCOVER = `#!/bin/sh
echo '[{"name":"weather","description":"Says the weather.","parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}},
{"function_declarations":[{"name":"fail","description":"Fails."}]}]'`
  const CALL = `#!/bin/sh
touch "$HOME/called"
case "$1" in
  weather) echo "noise" >&2; printf 'sunny: '; cat;;
  *) echo partly; echo broken >&2; exit 7;;
esac`

  const prepared = async (discover = DISCOVER): Promise<Workspace> => {
    const place = await newWorkspace()
    const commands = [await place.write("home/discover", discover), await place.write("home/call it", CALL)]
    for (const command of commands) await chmod(command, 0o755)
    const settings = { tools: { discoveryCommand: commands[0], callCommand: `'${commands[1]}'` } }
    await place.write("home/.gemini/settings.json", JSON.stringify(settings))
    return place
  }

  test("are offered last and called with their arguments on stdin", async () => {
    await using place = await prepared()
    const run = await callTools(
      place,
      inTurns(
        tool("discovered_tool_weather", { city: "Bern", wait_for_previous: true }),
        tool("discovered_tool_weather", { town: "Bern" }),
        tool("discovered_tool_fail", {})
      ),
      { args: ["--yolo"] }
    )
    expect(run.offered.slice(-2)).toEqual(["discovered_tool_weather", "discovered_tool_fail"])
    const [sunny, wrong, failed] = run.answers
    expect(sunny?.output).toBe('sunny: {"city":"Bern"}')
    expectAnswer(wrong, { type: "invalid_tool_params", error: expect.stringContaining("params") })
    expect(failed?.error).toBe("Stdout: partly\n\nStderr: broken\n\nError: (none)\nExit Code: 7\nSignal: (none)")
    expectAnswer(failed, { type: "discovered_tool_execution_error" })
  })

  test("need permission like everything that acts", async () => {
    await using place = await prepared()
    const call = inTurns(tool("discovered_tool_weather", { city: "Bern" }))
    const denied = await callTools(place, call)
    expect(denied.offered).not.toContain("discovered_tool_weather")
    expect(denied.end.permission_denials).toMatchObject([{ tool_name: "discovered_tool_weather" }])
    expect(existsSync(join(place.home, "called"))).toBe(false)
    const allowed = await callTools(place, call, { args: ["--allowed-tools", "discovered_tool_weather"] })
    expectAnswer(allowed.answers[0], { status: "success" })
  })

  test("a discovery command that fails is reported, and the run goes on", async () => {
    await using place = await prepared("#!/bin/sh\necho no luck >&2\nexit 3")
    const run = await callTools(place, [])
    expect(run.result.exitCode).toBe(0)
    expect(run.result.stderr).toContain("tools.discoveryCommand")
    expect(run.result.stderr).toContain("no luck")
  })
})
