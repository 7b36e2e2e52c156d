/** What telemetry says of hooks, and `gemini hooks`. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { collectedInFile, logsNamed, metricNamed } from "./kit/collected.ts"
import { answering, hookSettings, runHooked } from "./kit/hook-run.ts"
import { say } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

test("telemetry tells of every hook, with texts only where they are allowed", async () => {
  await using place = await newWorkspace()
  const hook = { BeforeAgent: [{ name: "teller --secretly", command: answering({ systemMessage: "m" }) }] }
  const telemetry = (logPrompts: boolean) => ({
    telemetry: { enabled: true, outfile: join(place.root, `t${logPrompts}.log`), logPrompts }
  })
  for (const logPrompts of [true, false])
    await runHooked(place, hook, [say("fine")], { settings: telemetry(logPrompts) })
  const open = collectedInFile(await place.read("ttrue.log"))
  const [told] = logsNamed(open, "gemini_cli.hook_call")
  expect(told).toMatchObject({
    hook_event_name: "BeforeAgent",
    hook_name: "teller --secretly",
    success: true,
    exit_code: 0,
    stdout: '{"systemMessage":"m"}\n'
  })
  expect(JSON.parse(String(told?.hook_output))).toEqual({ systemMessage: "m" })
  expect(JSON.parse(String(told?.hook_input))).toMatchObject({ prompt: "the prompt" })
  expect(metricNamed(open, "gemini_cli.hook_call.count")).toBeDefined()
  expect(metricNamed(open, "gemini_cli.hook_call.latency")).toBeDefined()
  const [quiet] = logsNamed(collectedInFile(await place.read("tfalse.log")), "gemini_cli.hook_call")
  expect(quiet).toMatchObject({ hook_name: "teller" })
  expect(quiet?.hook_input).toBeUndefined()
})

test("gemini hooks lists, tries out and takes over", async () => {
  await using place = await newWorkspace()
  const guard = 'input=$(cat); case $input in *\'"command":"rm\'*) echo no >&2; exit 2;; esac'
  await place.write(
    "home/.gemini/settings.json",
    JSON.stringify(
      hookSettings({
        BeforeTool: [{ matcher: "run_shell_command", name: "guard", command: guard }],
        AfterTool: [{ name: "broken", command: "exit 1" }]
      })
    )
  )
  const list = await place.run(["hooks", "list", "--json"])
  expect(JSON.parse(list.stdout)).toMatchObject([{ name: "guard", source: "user", enabled: true }, { name: "broken" }])
  const fine = await place.run(["hooks", "test", "BeforeTool"])
  expect([fine.exitCode, fine.stdout]).toEqual([0, expect.stringContaining("goes on as if there were no hook")])
  const refused = await place.run([
    "hooks",
    "test",
    "BeforeTool",
    "--json",
    "--input",
    '{"tool_input":{"command":"rm x"}}'
  ])
  expect([refused.exitCode, JSON.parse(refused.stdout)[0].agent]).toEqual([0, "refuses the call: no"])
  expect((await place.run(["hooks", "test", "AfterTool"])).exitCode).toBe(1)
  expect((await place.run(["hooks", "test", "SessionStart"])).exitCode).toBe(1)
  await place.write(
    "work/.claude/settings.json",
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "x" }] }] } })
  )
  expect((await place.run(["hooks", "migrate", "--from-claude"])).exitCode).toBe(0)
  expect(JSON.parse(await place.read("work/.gemini/settings.json"))).toEqual({
    hooks: { BeforeTool: [{ matcher: "run_shell_command", hooks: [{ type: "command", command: "x" }] }] }
  })
})

test("a folder that is not trusted is spoken of where it has something that is ignored", async () => {
  await using place = await newWorkspace()
  const words = async (...args: ReadonlyArray<string>) =>
    (await place.run(args, { env: { GEMINI_CLI_TRUST_WORKSPACE: "false" } })).stderr
  expect([await words("hooks", "list"), await words("mcp", "list")]).toEqual(["", ""])
  await place.write("work/.gemini/hooks.toml", '[hooks.BeforeAgent]\nhooks = [{ type = "command", command = "x" }]\n')
  await place.write("work/.gemini/settings.json", JSON.stringify({ mcpServers: { docs: { command: "docs" } } }))
  expect(await words("hooks", "list")).toContain("not trusted: its hooks are ignored")
  expect(await words("mcp", "list")).toContain("not trusted: MCP servers of its settings do not start")
})
