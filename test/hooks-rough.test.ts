/** Hooks that misbehave, hooks that nobody confirmed, hooks at a terminal, and what telemetry and commands say of them. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { rowOf } from "../src/shell/process-table.ts"
import { collectedInFile, logsNamed, metricNamed } from "./kit/collected.ts"
import { answering, hookSettings, runHooked } from "./kit/hook-run.ts"
import { startModelServer } from "./kit/model-server.ts"
import { ask, call, say } from "./kit/replies.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { startInTerminal } from "./kit/terminal.ts"

const READY = "  Type your message or @path/to/file"
const write = (name: string) => call("write_file", { file_path: name, content: "x" })
const isAlive = (pid: string) => rowOf(Number(pid)) !== undefined

describe("hooks that misbehave", () => {
  test("hang, crash, print too much, print half an answer, leave children: one warning, and the run goes on", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(
      place,
      {
        BeforeAgent: [
          { name: "hangs", command: "sleep 1000", timeout: 200 },
          { name: "crashes", command: "kill -SEGV $$" },
          { name: "floods", command: "head -c 100000000 /dev/zero; exit 1" },
          { name: "half", command: `echo '{"decision":"deny"'` },
          { name: "missing", command: "/does/not/exist" },
          { name: "child", command: "sleep 1000 & echo $! > ../child" },
          {
            name: "daemon",
            command: "setsid sleep 1000 >/dev/null 2>&1 & sleep 0.1; pgrep -n -f 'sleep 1000' > ../daemon; exit 0"
          }
        ]
      },
      [say("fine")]
    )
    expect(run.document).toMatchObject({ response: "fine", completion_reason: "success" })
    expect(run.document.warnings).toHaveLength(1)
    for (const name of [
      "hangs: it took longer",
      "crashes: it was ended by SIGSEGV",
      "floods: it ended with exit code 1",
      "half: its output begins like JSON",
      "missing: it ended with exit code 127"
    ]) {
      expect(String(run.document.warnings)).toContain(name)
    }
    expect(isAlive(readFileSync(join(place.root, "child"), "utf8"))).toBe(false)
    expect(isAlive(readFileSync(join(place.root, "daemon"), "utf8"))).toBe(false)
  })

  test("one that must not fail refuses when it does", async () => {
    await using place = await newWorkspace()
    const run = await runHooked(place, { BeforeTool: [{ command: "sleep 1000", timeout: 200, failClosed: true }] }, [
      ask(write("a.txt")),
      say("fine")
    ])
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    expect(run.document.permission_denials).toMatchObject([{ reason: expect.stringContaining("must not fail") }])
  })

  test("credentials of the run are neither in their environment nor in what they read", async () => {
    await using place = await newWorkspace()
    await place.write("work/leak.txt", "the key is sesame-open-0123456789")
    const run = await runHooked(
      place,
      { AfterTool: [{ command: "cat > ../in.json; env > ../env.txt", env: { OWN: "$HOME/x" } }] },
      [ask(call("read_file", { file_path: "leak.txt" })), say("fine")],
      { env: { GEMINI_API_KEY: "sesame-open-0123456789" } }
    )
    expect(run.result.exitCode).toBe(0)
    expect(readFileSync(join(place.root, "in.json"), "utf8")).not.toContain("sesame")
    const env = readFileSync(join(place.root, "env.txt"), "utf8")
    expect(env).not.toContain("sesame")
    for (const line of [
      `GEMINI_PROJECT_DIR=${place.cwd}`,
      `CLAUDE_PROJECT_DIR=${place.cwd}`,
      "GEMINI_SESSION_ID=",
      `OWN=${place.home}/x`
    ]) {
      expect(env).toContain(line)
    }
  })
})

/** A folder that is trusted by a rule, and a project that brings a hook. */
const trustedProject = async (place: Workspace, command: string) => {
  await place.write("home/.gemini/trustedFolders.json", JSON.stringify({ [place.cwd]: "TRUST_FOLDER" }))
  await place.write(
    "work/.gemini/hooks.toml",
    `[hooks.BeforeAgent]\nhooks = [{ type = "command", name = "mine", command = "${command}" }]\n`
  )
}
const BY_RULE = { GEMINI_CLI_TRUST_WORKSPACE: undefined }

describe("hooks of a project", () => {
  test("are confirmed once, in words that say what they are; changed ones end a headless run and ask again", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(() => say("fine"))
    await trustedProject(place, "touch ../ran")
    const headless = (...args: ReadonlyArray<string>) => place.run(["-p", "x", ...args], { server, env: BY_RULE })
    const first = await headless()
    expect([first.exitCode, existsSync(join(place.root, "ran"))]).toEqual([0, false])
    expect(first.stderr).toContain("hooks of this project do not run")

    const session = startInTerminal(place, [], { server, env: { GEMINI_CLI_TRUST_WORKSPACE: "" } })
    await session.shows("? 1-2: ")
    expect(session.plain()).toContain("outside the sandbox, with all your rights")
    expect(session.plain()).toContain("touch ../ran")
    session.type("1\r")
    await session.shows(READY)
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    expect((await headless()).exitCode).toBe(0)
    expect(existsSync(join(place.root, "ran"))).toBe(true)

    await trustedProject(place, "touch ../changed")
    const changed = await headless()
    expect(changed.exitCode).toBe(55)
    expect(changed.stderr).toContain("hooks.toml:1")
    expect(existsSync(join(place.root, "changed"))).toBe(false)
    expect((await headless("--skip-trust")).exitCode).toBe(0)
    expect(existsSync(join(place.root, "changed"))).toBe(true)
  })

  test("do not run in a folder that is not trusted, and the user's own do; --bare runs none", async () => {
    await using place = await newWorkspace()
    await place.write(
      "work/.gemini/hooks.toml",
      '[hooks.BeforeAgent]\nhooks = [{ type = "command", command = "touch ../project" }]\n'
    )
    await using server = await startModelServer(() => say("fine"))
    await place.write("home/.gemini/settings.json", JSON.stringify(hookSettings({ BeforeAgent: ["touch ../user"] })))
    await place.run(["-p", "x"], { server, env: { GEMINI_CLI_TRUST_WORKSPACE: "false" } })
    expect([existsSync(join(place.root, "project")), existsSync(join(place.root, "user"))]).toEqual([false, true])
    await runHooked(place, { BeforeAgent: ["touch ../bare"] }, [say("fine")], { args: ["--bare"] })
    expect(existsSync(join(place.root, "bare"))).toBe(false)
  })
})

describe("at a terminal", () => {
  test("messages under the hook's name, ask, Notification, /hooks, and the ends of sessions", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([ask(write("a.txt")), say("all done"), say("again")])
    const log = (word: string) => `echo ${word} >> ../log`
    await place.write(
      "home/.gemini/settings.json",
      JSON.stringify(
        hookSettings({
          SessionStart: [
            {
              name: "starter",
              command: `cat >> ../starts; ${answering({ hookSpecificOutput: { additionalContext: "from the start" } })}`
            }
          ],
          SessionEnd: ["cat >> ../ends"],
          BeforeAgent: [{ name: "greeter", command: `${log("agent")}; echo hello from a hook` }],
          BeforeTool: [{ name: "asker", command: answering({ decision: "ask", systemMessage: "look twice" }) }],
          Notification: ["cat > ../notice"]
        })
      )
    )
    const session = startInTerminal(place, ["-y", "-m", "gemini-2.5-flash"], { server })
    await session.shows(READY)
    session.type("do it\r")
    await session.shows("Allow? ")
    expect(session.plain()).toContain("greeter: hello from a hook")
    expect(session.plain()).toContain("look twice")
    expect(readFileSync(join(place.root, "notice"), "utf8")).toContain('"notification_type":"ToolPermission"')
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false)
    session.type("y\r")
    await session.shows("all done")
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true)
    expect(JSON.stringify(server.generations[0]?.body)).toContain("<hook_context>from the start</hook_context>")
    session.type("/hooks disable greeter\r")
    await session.shows("[off] greeter")
    expect(await place.read("home/.gemini/settings.json")).toContain('"disabled"')
    session.type("once more\r")
    await session.shows("again")
    expect(readFileSync(join(place.root, "log"), "utf8")).toBe("agent\n")
    session.type("/clear\r")
    while (!readFileSync(join(place.root, "starts"), "utf8").includes('"clear"')) await Bun.sleep(10)
    session.type("\u0004")
    expect(await session.exitCode).toBe(0)
    const words = (name: string, field: string) =>
      readFileSync(join(place.root, name), "utf8").match(new RegExp(`"${field}":"\\w+"`, "g"))
    expect(words("starts", "source")).toEqual(['"source":"startup"', '"source":"clear"'])
    expect(words("ends", "reason")).toEqual(['"reason":"clear"', '"reason":"exit"'])
  })
})

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
