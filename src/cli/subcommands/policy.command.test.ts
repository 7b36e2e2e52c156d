import { expect, test } from "bun:test"
import { Effect, FastCheck as fc } from "effect"
import { it } from "../../../test/kit/it.ts"
import { runIn } from "../../../test/kit/sub-command.ts"
import { tempFolder } from "../../../test/kit/temp-folder.ts"

const SETTINGS = "home/.gemini/settings.json"
const RULES = "home/.gemini/policies/mine.toml"
const UNTRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: "" }

const rule = (body: string) => `[[rule]]\n${body}\n`
const denyPush = rule(
  'toolName = "run_shell_command"\ncommandPrefix = "git push"\ndecision = "deny"\npriority = 100\ndenyMessage = "ask Ann"'
)
const allowMake = rule('toolName = "run_shell_command"\ncommandPrefix = "make"\ndecision = "allow"\npriority = 200')

it.live("the exit code is the verdict: 0 allow, 2 ask, 3 deny", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [RULES]: denyPush + allowMake })
    const codes = yield* Effect.forEach(
      ["make all", "npm i", "git push -f", "make && npm i", "make && git push"],
      (line) => runIn(root, ["policy", "test", line])
    )
    expect(codes.map(({ code, out }) => [code, out.split(":")[0]])).toEqual([
      [0, "allow"],
      [2, "ask"],
      [3, "deny"],
      [2, "ask"],
      [3, "deny"]
    ])
  })
)

it.live("the explanation names rule, message, commands, mode and trust", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [RULES]: denyPush })
    const { err, out } = yield* runIn(root, ["policy", "test", "ls && git push"])
    expect(err).toBe("")
    for (const part of [
      `  rule: 4.100 deny run_shell_command commandPrefix="git push" [${root}/${RULES}:`,
      "  message: ask Ann\n",
      "\n  allow ls: ",
      "\n  deny  git push: ",
      "\napproval mode default, trusted folder\n"
    ]) {
      expect(out).toContain(part)
    }
  })
)

it.live("where nobody can be asked, a question is a denial: added to the answer, or the answer with --headless", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    expect((yield* runIn(root, ["policy", "test", "npm i"])).out).toEndWith("; in a run with -p: deny\n")
    const explicit = yield* runIn(root, ["policy", "test", "npm i", "--interactive", "--json"])
    expect(explicit.code).toBe(2)
    expect(JSON.parse(explicit.out)).toMatchObject({ verdict: "ask", headless_verdict: "deny" })
    const headless = yield* runIn(root, ["policy", "test", "--headless", "npm i", "--json"])
    expect(headless.code).toBe(3)
    expect(JSON.parse(headless.out)).toMatchObject({ verdict: "deny", headless_verdict: "deny" })
  })
)

it.live("the JSON form has the call, its surroundings and the whole explanation", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [RULES]: allowMake })
    const { out } = yield* runIn(root, ["policy", "test", "make x", "--json", "--args", '{"dir_path": "sub"}'])
    expect(JSON.parse(out)).toMatchObject({
      tool: "run_shell_command",
      args: { command: "make x", dir_path: "sub" },
      cwd: `${root}/project`,
      trust: "trusted",
      mode: "default",
      verdict: "allow",
      rule: { tier: "user", priority: 4.2 },
      commands: [{ command: "make x", verdict: "allow" }],
      deny_message: null,
      allow_with: null
    })
  })
)

it.live("a call of any tool, by any of its names, with its arguments", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      [RULES]:
        rule('toolName = "read_file"\nargsPattern = "secret"\ndecision = "deny"\npriority = 5') +
        rule('mcpName = "gh"\ntoolName = "read"\ndecision = "allow"\npriority = 5')
    })
    const code = (...args: ReadonlyArray<string>) =>
      Effect.map(runIn(root, ["policy", "test", "--tool", ...args]), (result) => result.code)
    expect(yield* code("read_file", "--args", '{"file_path": "a"}')).toBe(0)
    expect(yield* code("read_file", "--args", '{"file_path": "secret"}')).toBe(3)
    expect(yield* code("ReadFileTool", "--args", '{"file_path": "secret"}')).toBe(3)
    expect(yield* code("search_file_content")).toBe(0)
    expect(yield* code("write_file")).toBe(2)
    expect(yield* code("mcp_gh_read")).toBe(0)
    expect(yield* code("mcp_gh_write")).toBe(2)
    expect(yield* code("run_shell_command", "--args", '{"command": "npm i"}')).toBe(2)
  })
)

it.live("a tool that the settings leave out is pointed out", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const { code, err } = yield* runIn(root, ["policy", "test", "--tool", "tracker_visualize"])
    expect({ code, err }).toEqual({
      code: 0,
      err: "[INFO] tracker_visualize is not offered to any model: experimental.taskTracker switches it off\n"
    })
  })
)

it.live("flags of a run count: mode, policy, allowed tools, folder", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "ci.toml": denyPush, "other/.gemini/policies/a.toml": denyPush })
    const code = (...args: ReadonlyArray<string>) =>
      Effect.map(runIn(root, ["policy", "test", ...args]), (result) => result.code)
    expect(yield* code("git push")).toBe(2)
    expect(yield* code("git push", "--mode", "yolo")).toBe(0)
    expect(yield* code("git push", "--approval-mode=plan")).toBe(3)
    expect(yield* code("git push", "--policy", "../ci.toml")).toBe(3)
    expect(yield* code("git push", "--mode", "yolo", "--policy", "../ci.toml")).toBe(3)
    expect(yield* code("git push", "--admin-policy", `${root}/ci.toml`)).toBe(3)
    expect(yield* code("git push", "--allowed-tools", "glob,run_shell_command(git push)")).toBe(0)
    expect(yield* code("git push", "--cwd", "../other")).toBe(3)
  })
)

it.live("an untrusted folder contributes nothing, and its line says so; --skip-trust shows it in force", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "project/.gemini/policies/a.toml": denyPush })
    const untrusted = yield* runIn(root, ["policy", "test", "git push"], UNTRUSTED)
    expect(untrusted.code).toBe(2)
    expect(untrusted.err).toContain(`${root}/project is not trusted`)
    expect(untrusted.out).toContain("untrusted folder")
    expect(yield* runIn(root, ["policy", "test", "git push", "--skip-trust"], UNTRUSTED)).toMatchObject({
      code: 3,
      err: ""
    })
    expect(yield* runIn(root, ["policy", "test", "x", "--mode", "yolo"], UNTRUSTED)).toMatchObject({ code: 1, out: "" })
  })
)

it.live("permissions of a project that were never confirmed do not count", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "project/.gemini/policies/a.toml": allowMake })
    const folders = yield* tempFolder({ "trust.json": JSON.stringify({ [`${root}/project`]: "TRUST_FOLDER" }) })
    const env = { ...UNTRUSTED, GEMINI_CLI_TRUSTED_FOLDERS_PATH: `${folders}/trust.json` }
    const { code, err } = yield* runIn(root, ["policy", "test", "make"], env)
    expect(code).toBe(2)
    expect(err).toStartWith("[INFO] 1 allowing rule(s) of this project do not count until you confirm them: ")
    expect((yield* runIn(root, ["policy", "test", "make", "--skip-trust"], env)).code).toBe(0)
  })
)

it.live("settings decide the mode; one that is forbidden is refused, one that is off falls back", () =>
  Effect.gen(function* () {
    const auto = yield* tempFolder({ [SETTINGS]: '{ "general": { "defaultApprovalMode": "auto_edit" } }' })
    expect((yield* runIn(auto, ["policy", "test", "--tool", "write_file"])).code).toBe(0)
    const noYolo = yield* tempFolder({ [SETTINGS]: '{ "security": { "disableYoloMode": true } }' })
    expect(yield* runIn(noYolo, ["policy", "test", "ls", "--mode", "yolo"])).toEqual({
      code: 1,
      out: "",
      err: "error: approval mode yolo is forbidden by security.disableYoloMode. See gemini --help. [gemini help bad-usage]\n"
    })
    const noPlan = yield* tempFolder({ [SETTINGS]: '{ "general": { "plan": { "enabled": false } } }' })
    const fallen = yield* runIn(noPlan, ["policy", "test", "npm i", "--mode", "plan", "--json"])
    expect(JSON.parse(fallen.out)).toMatchObject({ mode: "default" })
    expect(fallen.err).toContain("general.plan.enabled")
  })
)

it.live("plans may be written in plan mode, other files not", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const code = (path: string) =>
      Effect.map(
        runIn(root, [
          "policy",
          "test",
          "--mode",
          "plan",
          "--tool",
          "write_file",
          "--args",
          JSON.stringify({ file_path: path })
        ]),
        (result) => result.code
      )
    expect(yield* code("plan.md")).toBe(0)
    expect(yield* code("a.ts")).toBe(3)
  })
)

it.live("what cannot be tested: one line, exit 1", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ "bad.toml": "[[rule]]\nx = \n" })
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [[], "There is no command to test"],
      [[""], "The command is empty"],
      [["git", "push"], 'Unknown argument "push". Put the whole command in quotes'],
      [["ls", "-la"], 'Unknown argument "-la"'],
      [["ls", "--nonsense"], "--nonsense is unknown"],
      [["ls", "--mode"], "--mode needs a value"],
      [["ls", "--mode", "autoedit"], '--mode cannot be "autoedit". Choose one of: default, auto_edit, yolo, plan.'],
      [["--tool", "red_file"], 'Unknown tool "red_file". Did you mean read_file?'],
      [["--tool", "zzz"], 'Unknown tool "zzz". gemini tools list shows all tools.'],
      [["--tool", "glob", "--args", "{"], "--args is not JSON: {"],
      [["--tool", "glob", "--args", "[1]"], "--args must be a JSON object"],
      [["--tool", "glob", "--args", "null"], "--args must be a JSON object"],
      [["ls", "--tool", "glob"], "glob runs no command"],
      [["--tool", "run_shell_command"], "run_shell_command needs a command"],
      [["--tool", "run_shell_command", "--args", '{"command": 5}'], "run_shell_command needs a command"],
      [["ls", "--cwd", "gone"], `--cwd cannot be "${root}/project/gone"`],
      [["ls", "--policy", "gone.toml"], `The policy file ${root}/project/gone.toml does not exist`],
      [["ls", "--admin-policy", "../bad.toml"], `A policy file cannot be used, so nothing may run: ${root}`]
    ]
    for (const [args, message] of cases) {
      const { code, err, out } = yield* runIn(root, ["policy", "test", ...args])
      expect({ args, code, out, lines: err.split("\n").length }).toEqual({ args, code: 1, out: "", lines: 2 })
      expect(err).toStartWith(`error: ${message}`)
    }
  })
)

it.live("settings that cannot be read: one line with the file", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [SETTINGS]: '{ "tools": { "exclude": 5 } }' })
    const { code, err, out } = yield* runIn(root, ["policy", "test", "ls"])
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain(`${root}/${SETTINGS}:1`)
  })
)

it.live("a broken file of the user forces a question, as in a run, and is named", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [RULES]: "[[rule]\n" })
    const { code, err, out } = yield* runIn(root, ["policy", "test", "ls"])
    expect(code).toBe(2)
    expect(out).toStartWith(`ask: the policy file cannot be read: ${root}/${RULES}:1`)
    expect(err).toStartWith(`[ERROR] ${root}/${RULES}:1`)
  })
)

it.live("list shows the rules of all sources, strongest first", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({
      [RULES]: denyPush,
      "project/.gemini/policies/p.toml": denyPush,
      [SETTINGS]: '{ "tools": { "allowed": ["run_shell_command(make)"], "exclude": ["glob"] } }'
    })
    const { code, err, out } = yield* runIn(root, ["policy", "list"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const lines = out.split("\n")
    expect(lines.slice(0, 6).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "4.400 user",
      "4.400 user",
      "4.300 user",
      "4.290 user",
      "4.100 user",
      "3.100 workspace"
    ])
    expect(out).toContain("deny glob [settings: tools.exclude]")
    expect(out).toContain(`[${root}/project/.gemini/policies/p.toml:`)
    const rules = JSON.parse((yield* runIn(root, ["policy", "list", "--json"])).out)
    expect(rules).toHaveLength(lines.length - 1)
    expect(rules[2]).toMatchObject({
      decision: "allow",
      toolName: "run_shell_command",
      commandPrefix: "make",
      tier: "user",
      priority: 4.3,
      source: "settings: tools.allowed"
    })
  })
)

it.live("list --mode leaves out rules of other modes", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder()
    const rules = JSON.parse((yield* runIn(root, ["policy", "list", "--mode", "plan", "--json"])).out)
    expect(rules.length).toBeGreaterThan(10)
    for (const { modes } of rules) expect(modes ?? ["plan"]).toContain("plan")
  })
)

it.live("list goes on where a file has errors, names them and exits 1; a warning alone does not count", () =>
  Effect.gen(function* () {
    const root = yield* tempFolder({ [RULES]: `${denyPush}[[rule]]\ntoolName = "glob"\n` })
    const { code, err, out } = yield* runIn(root, ["policy", "list"])
    expect(code).toBe(1)
    expect(out).toContain('commandPrefix="git push"')
    expect(err).toStartWith(`[ERROR] ${root}/${RULES}:`)
    const misspelt = yield* tempFolder({ [RULES]: rule('toolName = "red_file"\ndecision = "deny"\npriority = 1') })
    const warned = yield* runIn(misspelt, ["policy", "list"])
    expect(warned.code).toBe(0)
    expect(warned.err).toContain("read_file")
  })
)

test("any text is judged or refused in one line, never a defect", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 30 }), (line) =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const root = yield* tempFolder()
            const { code, err } = yield* runIn(root, ["policy", "test", "--headless", line])
            expect([0, 1, 3]).toContain(code)
            expect(err.split("\n").length).toBeLessThanOrEqual(2)
          })
        )
      )
    ),
    { numRuns: 25 }
  )
})
