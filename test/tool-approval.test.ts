/** Who may do what: approval modes, flags, settings and policy files, seen in files, answers, documents and exit codes. */
import { describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { chmod, symlink } from "node:fs/promises"
import { join } from "node:path"
import { documentOf, type Json } from "./kit/documents.ts"
import { expectFailureEvents } from "./kit/expectations.ts"
import { startModelServer } from "./kit/model-server.ts"
import { newWorkspace, type Workspace } from "./kit/run-gemini.ts"
import { callTools, expectAnswer, inTurns, scriptOf, tool } from "./kit/tool-run.ts"

const WRITE = tool("write_file", { file_path: "made.txt", content: "x" })
const SHELL = tool("run_shell_command", { command: "touch marker" })
const FETCH = tool("web_fetch", { prompt: "read http://127.0.0.1:1/" })
const READ = tool("read_file", { file_path: "a.txt" })

const exists = (place: Workspace, name: string) => existsSync(join(place.cwd, name))

describe("approval modes", () => {
  const ACTING = ["replace", "write_file", "web_fetch", "run_shell_command", "save_memory"]

  test.each<[string, ReadonlyArray<string>, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["default", [], [], ACTING],
    ["auto_edit", ["--approval-mode", "auto_edit"], ["made.txt"], ["run_shell_command"]],
    ["yolo", ["--approval-mode=yolo"], ["made.txt", "marker"], []],
    ["plan", ["--approval-mode", "plan"], [], ["run_shell_command", "web_fetch"]]
  ])("%s", async (mode, args, made, hidden) => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "content")
    const run = await callTools(place, inTurns(READ, WRITE, SHELL, FETCH), { args })
    expect(run.result.exitCode).toBe(0)
    expect(run.end).toMatchObject({ status: "success", completion_reason: "success" })
    expect(["made.txt", "marker"].filter((name) => exists(place, name))).toEqual([...made])
    for (const name of hidden) {
      expect(run.offered).not.toContain(name)
      expect(run.end.hidden_tools).toContain(name)
    }
    const [read, write, shell, fetched] = run.answers
    expect(read?.output).toBe("content")
    if (mode === "yolo") expectAnswer(shell, { status: "success" })
    else {
      const error = expect.stringMatching(/not found\. It is not offered here.* The closest available names are: /)
      expectAnswer(shell, { type: "tool_not_registered", error })
    }
    if (mode === "default") expectAnswer(write, { type: "tool_not_registered" })
    // Allowed by the mode, and refused by the tool: the address is not public.
    if (mode === "yolo") expectAnswer(fetched, { type: "web_fetch_processing_error" })
    // The prompt names no host.
    if (mode === "auto_edit") expectAnswer(fetched, { type: "policy_violation" })
    const denied = run.answers.filter(({ type }) => type === "tool_not_registered" || type === "policy_violation")
    expect(run.end.permission_denials).toHaveLength(denied.length)
  })

  test("plan lets plans be written, and nothing else", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "content")
    const run = await callTools(
      place,
      inTurns(
        WRITE,
        tool("replace", { file_path: "a.txt", instruction: "i", old_string: "content", new_string: "x" }),
        tool("write_file", { file_path: "plan.md", content: "# Plan\n" })
      ),
      { args: ["--approval-mode", "plan"] }
    )
    expect(run.answers.map(({ status }) => status)).toEqual(["error", "error", "success"])
    expect(await place.read("work/a.txt")).toBe("content")
    expect(["made.txt", "plan.md"].filter((name) => exists(place, name))).toEqual([])
    expect(run.answers[2]?.output).toContain(join(place.home, ".gemini/tmp"))
  })

  test("the setting chooses a mode, but never yolo", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "general": { "defaultApprovalMode": "auto_edit" } }')
    await callTools(place, inTurns(WRITE))
    expect(exists(place, "made.txt")).toBe(true)
    await place.write("home/.gemini/settings.json", '{ "general": { "defaultApprovalMode": "yolo" } }')
    await callTools(place, inTurns(SHELL))
    expect(exists(place, "marker")).toBe(false)
  })
})

describe("a denied call", () => {
  test("is told in the document, with the flag that would allow it, and that flag does", async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer(scriptOf(SHELL, READ), { strict: true })
    await place.write("work/a.txt", "content")
    const result = await place.run(["-p", "go", "-o", "json"], { server })
    const document = documentOf(result)
    expect(document).toMatchObject({
      response: "done",
      completion_reason: "success",
      stats: {
        tools: {
          totalCalls: 2,
          totalSuccess: 1,
          totalFail: 1,
          totalDecisions: { accept: 1, reject: 0, modify: 0, auto_accept: 0 },
          byName: { run_shell_command: { count: 1, fail: 1 }, read_file: { count: 1, success: 1 } }
        }
      },
      permission_denials: [
        {
          tool_name: "run_shell_command",
          tool_id: "run_shell_command__call-1-1",
          reason: expect.stringMatching(/^`touch marker`: .+ \(\S+ run_shell_command.* \[.+\]\)$/),
          rule: expect.any(String),
          allow_with: '--allowed-tools "run_shell_command(touch)"',
          allow_rule: expect.stringContaining('commandPrefix = [ "touch" ]')
        }
      ]
    })
    expect(Object.hasOwn(document, "error")).toBe(false)
    expect(result.exitCode).toBe(0)
    expect(result.stderr).toContain("run_shell_command was refused")
    expect(result.stderr).toContain("run_shell_command(touch)")
    const allowed = await callTools(place, inTurns(SHELL), { args: ["--allowed-tools", "run_shell_command(touch)"] })
    expect({ made: exists(place, "marker"), denials: allowed.end.permission_denials }).toEqual({
      made: true,
      denials: []
    })
  })

  test("leaves the other calls of its turn alone", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "content")
    const run = await callTools(place, [[SHELL, READ, WRITE]], { args: ["--approval-mode", "auto_edit"] })
    expect(run.answers.map(({ name, status }) => [name, status])).toEqual([
      ["run_shell_command", "error"],
      ["read_file", "success"],
      ["write_file", "success"]
    ])
    expect(exists(place, "made.txt")).toBe(true)
  })

  test("--fail-on-denied makes it exit 56, after the work that was possible", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "content")
    const run = await callTools(place, inTurns(SHELL, READ), { args: ["--fail-on-denied"] })
    expectFailureEvents(run.result, 56, {
      completion_reason: "denied",
      error: expect.objectContaining({ code: 56, message: expect.stringContaining("run_shell_command") }),
      permission_denials: [expect.objectContaining({ tool_name: "run_shell_command" })]
    })
    expect(run.answers[1]?.output).toBe("content")
    const clean = await callTools(place, inTurns(READ), { args: ["--fail-on-denied"] })
    expect(clean.result.exitCode).toBe(0)
  })

  test("a tool that nobody called is named in the document only", async () => {
    await using place = await newWorkspace()
    const run = await callTools(place, [])
    expect(run.end).toMatchObject({ permission_denials: [], hidden_tools: expect.arrayContaining(["write_file"]) })
    expect(run.result.stderr).not.toContain("write_file")
  })
})

describe("--allowed-tools and tools.allowed", () => {
  test.each<[string, ReadonlyArray<string>, string]>([
    ["flag", ["--allowed-tools", "run_shell_command(echo),write_file"], "{}"],
    ["setting", [], '{ "tools": { "allowed": ["run_shell_command(echo)", "write_file"] } }'],
    ["old name", [], '{ "allowedTools": ["ShellTool(echo)", "write_file"] }']
  ])("%s: what is named is allowed, other shell commands are not", async (_, args, settings) => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings)
    const run = await callTools(
      place,
      inTurns(
        tool("run_shell_command", { command: "echo hello" }),
        SHELL,
        tool("run_shell_command", { command: "echo hello && touch marker" }),
        tool("run_shell_command", { command: "echo $(touch marker)" }),
        WRITE
      ),
      { args }
    )
    const [echo, touch, chain, hiddenTouch, write] = run.answers
    expect(echo?.output).toContain("Output: hello\n")
    for (const answered of [touch, chain, hiddenTouch])
      expectAnswer(answered, {
        type: "policy_violation",
        error: expect.stringContaining("Tool execution denied by policy")
      })
    expectAnswer(write, { status: "success" })
    expect({ marker: exists(place, "marker"), made: exists(place, "made.txt") }).toEqual({ marker: false, made: true })
    expect(run.end.permission_denials).toHaveLength(3)
  })
})

describe("tools.core and tools.exclude", () => {
  test("only what tools.core lists exists", async () => {
    await using place = await newWorkspace()
    await place.write("work/a.txt", "content")
    await place.write(
      "home/.gemini/settings.json",
      '{ "tools": { "core": ["ReadFileTool", "run_shell_command(echo)"] } }'
    )
    const run = await callTools(
      place,
      inTurns(READ, tool("run_shell_command", { command: "echo hi" }), SHELL, tool("list_directory", { dir_path: "." }))
    )
    expect(run.offered).toEqual(["read_file", "run_shell_command"])
    expect(run.answers.map(({ type }) => type)).toEqual([
      undefined,
      undefined,
      "policy_violation",
      "tool_not_registered"
    ])
    expect(exists(place, "marker")).toBe(false)
  })

  test("an empty tools.core leaves no tool", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{ "tools": { "core": [] } }')
    const run = await callTools(place, inTurns(READ), { args: ["--yolo"] })
    expect(run.offered).toEqual([])
    expectAnswer(run.answers[0], { type: "tool_not_registered" })
  })

  test.each<[string, string]>([
    ["setting", '{ "tools": { "exclude": ["write_file", "search_file_content", "run_shell_command(touch)"] } }'],
    ["old name", '{ "excludeTools": ["WriteFileTool", "grep_search", "ShellTool(touch)"] }']
  ])("%s: an excluded tool is gone in every mode, yolo included", async (_, settings) => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", settings)
    const run = await callTools(
      place,
      inTurns(WRITE, tool("grep_search", { pattern: "x" }), SHELL, tool("run_shell_command", { command: "echo hi" })),
      { args: ["--yolo"] }
    )
    expect(run.offered).not.toContain("write_file")
    expect(run.offered).not.toContain("grep_search")
    expect(run.answers.map(({ type }) => type)).toEqual([
      "tool_not_registered",
      "tool_not_registered",
      "policy_violation",
      undefined
    ])
    expect({ marker: exists(place, "marker"), made: exists(place, "made.txt") }).toEqual({ marker: false, made: false })
  })
})

describe("policy files", () => {
  const inDocs = (decision: string) =>
    `[[rule]]\ntoolName = "write_file"\nargsPattern = '"file_path":"docs/'\ndecision = "${decision}"\npriority = 100\n`

  /** Each is the file that is really written, and the call. */
  const DISGUISES: ReadonlyArray<readonly [string, Json]> = [
    ["docs/plain.md", { file_path: "docs/plain.md" }],
    ["docs/back.md", { file_path: "src/../docs/back.md" }],
    ["docs/mention.md", { file_path: "@docs/mention.md" }],
    ["src/up.ts", { file_path: "docs/../src/up.ts" }],
    ["src/link.ts", { file_path: "docs/link/link.ts" }],
    ["src/extra.ts", { file_path: "src/extra.ts", extra: { file_path: "docs/x" } }],
    ["src/text.ts", { file_path: "src/text.ts", content: '"file_path":"docs/x"' }],
    ["src/internal.ts", { file_path: "src/internal.ts", ai_proposed_content: '{"file_path":"docs/x"}' }]
  ]

  test.each([
    ["allow", [], (path: string) => path.startsWith("docs/")],
    ["deny", ["--approval-mode", "auto_edit"], (path: string) => /text|internal/.test(path)]
  ] as const)(
    "argsPattern of a rule that says %s sees what is written, not what is said",
    async (decision, args, isWritten) => {
      await using place = await newWorkspace()
      await place.write("work/docs/a.md", "")
      await place.write("work/src/a.ts", "")
      await symlink("../src", join(place.cwd, "docs/link"))
      const policy = await place.write("policy.toml", inDocs(decision))
      const calls = DISGUISES.map(([, call]) => tool("write_file", { content: "x", ...call }))
      const run = await callTools(place, inTurns(...calls), { args: ["--policy", policy, ...args] })
      expect(run.result.exitCode).toBe(0)
      const written = DISGUISES.map(([path]) => path).filter((path) => exists(place, path))
      expect(written).toEqual(DISGUISES.map(([path]) => path).filter(isWritten))
    }
  )

  const RULES = `
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["touch", "git status"]
decision = "allow"
priority = 100

[[rule]]
toolName = "write_file"
argsPattern = "made"
decision = "deny"
priority = 200
denyMessage = "that name is taken"
`

  const ruled = async (place: Workspace, args: ReadonlyArray<string> = []) =>
    callTools(place, inTurns(SHELL, WRITE, tool("write_file", { file_path: "other.txt", content: "x" })), { args })

  const expectRuled = (place: Workspace, run: Awaited<ReturnType<typeof callTools>>) => {
    expect(["marker", "made.txt", "other.txt"].filter((name) => exists(place, name))).toEqual(["marker", "other.txt"])
    expectAnswer(run.answers[1], {
      type: "policy_violation",
      error: "Tool execution denied by policy. that name is taken"
    })
  }

  test("of the user", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/policies/mine.toml", RULES)
    const run = await ruled(place, ["--approval-mode", "auto_edit"])
    expectRuled(place, run)
    const [denial] = run.end.permission_denials as ReadonlyArray<Json>
    expect(denial).toMatchObject({
      tool_name: "write_file",
      reason: "that name is taken",
      rule: expect.stringContaining("mine.toml"),
      allow_with: expect.stringContaining("mine.toml")
    })
  })

  test("--policy stands in their place", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/policies/mine.toml", RULES.replace("touch", "nothing"))
    const file = await place.write("elsewhere/rules.toml", RULES)
    expectRuled(place, await ruled(place, ["--approval-mode", "auto_edit", "--policy", file]))
  })

  test("--admin-policy wins over the user and over yolo", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/policies/mine.toml", RULES)
    const file = await place.write(
      "elsewhere/admin.toml",
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\npriority = 1\n'
    )
    const run = await ruled(place, ["--yolo", "--admin-policy", file])
    expect(exists(place, "marker")).toBe(false)
    expect(run.offered).not.toContain("run_shell_command")
    expect(run.end.permission_denials).toMatchObject([
      { tool_name: "run_shell_command", rule: expect.stringContaining("admin.toml") },
      { tool_name: "write_file" }
    ])
  })

  test("a question that nobody can answer is a denial", async () => {
    await using place = await newWorkspace()
    const file = await place.write(
      "elsewhere/ask.toml",
      '[[rule]]\ntoolName = "read_file"\nargsPattern = "a.txt"\ndecision = "ask_user"\npriority = 1\n'
    )
    await place.write("work/a.txt", "content")
    const run = await callTools(place, inTurns(READ), { args: ["--policy", file] })
    expectAnswer(run.answers[0], { type: "policy_violation", output: undefined })
    expect(run.end.permission_denials).toMatchObject([{ tool_name: "read_file" }])
  })

  test.each(["--admin-policy", "--policy"])("a broken file that %s names stops the run", async (flag) => {
    await using place = await newWorkspace()
    const broken = await place.write("elsewhere/broken.toml", "[[rule]\ntoolName =")
    const result = await place.run(["-p", "go", "-o", "stream-json", flag, broken], {
      server: { url: "http://127.0.0.1:9" }
    })
    expectFailureEvents(result, 52, {
      completion_reason: "config",
      error: expect.objectContaining({ message: expect.stringContaining("broken.toml") })
    })
  })

  test("so does a rule in it that means nothing, and a file that is not there", async () => {
    await using place = await newWorkspace()
    const wrong = await place.write(
      "elsewhere/wrong.toml",
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "denied"\npriority = 1\n'
    )
    for (const file of [wrong, `${wrong}.missing`]) {
      const result = await place.run(["-p", "go", "-y", "--policy", file], { server: { url: "http://127.0.0.1:9" } })
      expect(result).toMatchObject({ exitCode: 52, stdout: "" })
      expect(result.stderr).toContain(file)
    }
  })

  test("a broken file in the user's own folder stops every call, and is named", async () => {
    await using place = await newWorkspace()
    await place.write("home/.gemini/policies/broken.toml", "[[rule]\ntoolName =")
    await place.write("work/a.txt", "content")
    const user = await callTools(place, inTurns(READ, SHELL), { args: ["--yolo"] })
    expect(user.answers.map(({ status }) => status)).toEqual(["error", "error"])
    expect(exists(place, "marker")).toBe(false)
    expect(user.result.stderr).toContain("broken.toml")
  })

  test("safety checkers have the last word", async () => {
    await using place = await newWorkspace()
    const checker = await place.write(
      "home/.gemini/checkers/careful",
      `#!/bin/sh\ncat > "$HOME/asked"\necho '{"decision":"deny","reason":"too careful"}'\n`
    )
    await chmod(checker, 0o755)
    const rule = (name: string, type: string, toolName: string) =>
      `[[safety_checker]]\ntoolName = "${toolName}"\nchecker = { type = "${type}", name = "${name}" }\n`
    const file = await place.write(
      "elsewhere/checkers.toml",
      `${rule("careful", "external", "write_file")}${rule("nobody-has-this", "external", "list_directory")}`
    )
    await place.write("work/a.txt", "content")
    const run = await callTools(place, inTurns(WRITE, tool("list_directory", { dir_path: "." }), READ), {
      args: ["--yolo", "--policy", file]
    })
    const [write, list, read] = run.answers
    expect(write?.error).toContain("too careful")
    expectAnswer(write, { type: "policy_violation" })
    expectAnswer(list, { type: "policy_violation" })
    expect(read?.output).toBe("content")
    expect(exists(place, "made.txt")).toBe(false)
    expect(JSON.parse(await place.read("home/asked"))).toMatchObject({
      protocolVersion: "1.0.0",
      toolCall: { name: "write_file", args: { file_path: "made.txt", content: "x" } },
      context: { environment: { cwd: place.cwd } }
    })
  })

  test("the short form: .gemini/policy.toml with excluded paths", async () => {
    await using place = await newWorkspace()
    await place.write(
      "home/.gemini/policy.toml",
      `[tools.write_file]\nmode = "always_allow"\nexcluded_paths = ["${place.cwd}/made*"]\n[tools.list_directory]\nmode = "always_deny"\n`
    )
    const run = await callTools(
      place,
      inTurns(
        WRITE,
        tool("write_file", { file_path: "other.txt", content: "x" }),
        tool("list_directory", { dir_path: "." })
      )
    )
    expect(run.answers.map(({ status }) => status)).toEqual(["error", "success", "error"])
    expect({ made: exists(place, "made.txt"), other: exists(place, "other.txt") }).toEqual({ made: false, other: true })
    expect(run.offered).not.toContain("list_directory")
  })

  test("an untrusted project contributes no rules; a trusted one may", async () => {
    await using place = await newWorkspace()
    await place.write("work/.gemini/policies/theirs.toml", RULES)
    await ruled(place)
    expect(exists(place, "marker")).toBe(true)
    await place.shell("rm marker")
    const untrusted = await callTools(place, inTurns(SHELL), { env: { GEMINI_CLI_TRUST_WORKSPACE: undefined } })
    expect(exists(place, "marker")).toBe(false)
    expect(untrusted.offered).not.toContain("run_shell_command")
    expect(untrusted.events[0]).toMatchObject({ type: "init", trust: "untrusted" })
  })
})
