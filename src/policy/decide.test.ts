import { describe, expect, test } from "bun:test"
import { decide } from "./decide.ts"
import type { DecisionContext, PolicyCall, Verdict } from "./decision.ts"
import { defaultRules } from "./default-rules.ts"
import { hiddenTools } from "./policy.ts"
import { ALWAYS_PRIORITY, inOrder, type PolicyRule, rankOf } from "./rule.ts"
import { noSettings, type PolicySettings, settingsRules } from "./settings-rules.ts"
import { plainContext, userRule } from "./test-context.ts"

const decideWith = (
  extra: ReadonlyArray<PolicyRule>,
  call: Partial<PolicyCall> & Pick<PolicyCall, "name">,
  context: Partial<DecisionContext> = {}
) => decide(inOrder([...extra, ...defaultRules()]), { args: {}, ...call }, { ...plainContext, ...context })

describe("default rules", () => {
  const headless = { isInteractive: false }
  const table: ReadonlyArray<readonly [string, Partial<DecisionContext>, Verdict]> = [
    ["read_file", {}, "allow"],
    ["read_file", headless, "allow"],
    ["write_todos", headless, "allow"],
    ["read_background_output", {}, "allow"],
    ["write_file", {}, "ask"],
    ["write_file", headless, "deny"],
    ["write_file", { mode: "auto_edit" }, "allow"],
    ["web_fetch", { mode: "auto_edit" }, "ask"],
    ["web_fetch", { mode: "auto_edit", ...headless }, "deny"],
    ["activate_skill", { mode: "auto_edit" }, "ask"],
    ["write_file", { mode: "yolo" }, "allow"],
    ["anything", { mode: "yolo", ...headless }, "allow"],
    ["ask_user", { mode: "yolo" }, "ask"],
    ["ask_user", headless, "deny"],
    ["enter_plan_mode", {}, "ask"],
    ["enter_plan_mode", headless, "allow"],
    ["enter_plan_mode", { mode: "plan" }, "deny"],
    ["enter_plan_mode", { mode: "yolo" }, "deny"],
    ["exit_plan_mode", {}, "deny"],
    ["exit_plan_mode", { mode: "plan" }, "ask"],
    ["exit_plan_mode", { mode: "plan", ...headless }, "allow"],
    ["invoke_agent", {}, "allow"],
    ["read_file", { mode: "plan" }, "allow"],
    ["web_fetch", { mode: "plan" }, "ask"],
    ["web_fetch", { mode: "plan", ...headless }, "deny"],
    ["mcp_x_y", { mode: "plan" }, "deny"],
    ["discovered_tool_x", {}, "ask"],
    ["discovered_tool_x", headless, "deny"],
    ["unknown_tool", {}, "ask"],
    ["unknown_tool", headless, "deny"]
  ]
  test.each(table)("%s in %o: %s", (name, context, verdict) =>
    expect(decideWith([], { name }, context).verdict).toBe(verdict)
  )

  test("tools without a rule go by their kind, but not those of a server", () => {
    expect(decideWith([], { name: "x", kind: "read" }).verdict).toBe("allow")
    expect(decideWith([], { name: "x", kind: "edit" }).verdict).toBe("ask")
    expect(decideWith([], { name: "mcp_s_x", kind: "read", server: "s" }).verdict).toBe("ask")
    expect(decideWith([], { name: "x", kind: "read" }, { isInteractive: false }).verdict).toBe("deny")
  })

  test("plan mode asks for reading tools of servers, and allows reading agents", () => {
    const plan = { mode: "plan" } as const
    expect(decideWith([], { name: "mcp_s_x", server: "s", annotations: { readOnlyHint: true } }, plan).verdict).toBe(
      "ask"
    )
    expect(decideWith([], { name: "invoke_agent", args: { agent_name: "cli_help" } }, plan).verdict).toBe("allow")
    expect(decideWith([], { name: "invoke_agent", args: { agent_name: "other" } }, plan).verdict).toBe("deny")
  })

  test("plan files are told by where they are", () => {
    const write = (file_path: string, context: Partial<DecisionContext> = {}) =>
      decideWith([], { name: "write_file", args: { file_path } }, { mode: "plan", ...context }).verdict
    expect(["/plans/a.md", "a.md", "sub/a.md", "../plans/a.md"].map((path) => write(path))).toEqual([
      "allow",
      "allow",
      "allow",
      "allow"
    ])
    expect(["/plans/a.txt", "/work/a.md", "/plans-evil/a.md", "/plans/../etc/a.md"].map((path) => write(path))).toEqual(
      ["deny", "deny", "deny", "deny"]
    )
    const linked = { realPath: (path: string) => (path === "/plans/a.md" ? "/etc/a.md" : path) }
    expect(write("/plans/a.md", linked)).toBe("deny")
    expect(write("/plans/a.md", { plansDir: undefined })).toBe("deny")
  })
})

describe("procedure", () => {
  test("the first match in order decides, and at equal priority the strictest", () => {
    const allow = userRule({ toolName: "write_file", decision: "allow" })
    const deny = userRule({ toolName: "write_file", decision: "deny", denyMessage: "no" })
    const decision = decideWith([allow, deny], { name: "write_file" })
    expect([decision.verdict, decision.denyMessage, decision.rule?.source]).toEqual(["deny", "no", "test"])
    expect(decideWith([allow, { ...deny, rank: allow.rank - 1 }], { name: "write_file" }).verdict).toBe("allow")
    expect(decideWith([deny], { name: "write_file" }, { mode: "yolo" }).verdict).toBe("deny")
  })

  test("a question that nobody can answer is a denial with its reason and a remedy", () => {
    const ask = userRule({ toolName: "read_file", decision: "ask_user" })
    const decision = decideWith([ask], { name: "read_file" }, { isInteractive: false })
    expect(decision).toMatchObject({
      verdict: "deny",
      reason: "a rule asks for it; nobody can be asked in a headless run",
      allowWith: "--allowed-tools read_file",
      rule: { tier: "user", priority: 4.1 }
    })
  })

  test("a user's own command is not asked about", () =>
    expect(decideWith([], { name: "write_file", isClientInitiated: true }).verdict).toBe("allow"))

  test("permissions outside the workspace are asked about", () => {
    const allow = userRule({ toolName: "x", decision: "allow" })
    const call = (path: string) => ({ name: "x", args: { additional_permissions: { fileSystem: { read: [path] } } } })
    expect(decideWith([allow], call("/etc")).verdict).toBe("ask")
    expect(decideWith([allow], call("/work/a")).verdict).toBe("allow")
    expect(decideWith([allow], { ...call("/etc"), isClientInitiated: true }).verdict).toBe("ask")
  })

  test("a broken rule file of the user forces a question for everything but denials", () => {
    const forceAsk = "the file is broken"
    expect(decideWith([], { name: "read_file" }, { forceAsk, mode: "yolo" })).toMatchObject({
      verdict: "ask",
      reason: forceAsk
    })
    expect(decideWith([], { name: "read_file" }, { forceAsk, isInteractive: false }).verdict).toBe("deny")
  })

  test("rules from approvals can be switched off", () => {
    const always = userRule({ toolName: "write_file", decision: "allow" }, ALWAYS_PRIORITY)
    expect(decideWith([always], { name: "write_file" }).verdict).toBe("allow")
    expect(decideWith([always], { name: "write_file" }, { ignoresAlways: true }).verdict).toBe("ask")
  })

  test("remedies", () => {
    const remedy = (name: string, extra: ReadonlyArray<PolicyRule> = [], context: Partial<DecisionContext> = {}) =>
      decideWith(extra, { name }, { isInteractive: false, ...context }).allowWith
    expect(remedy("write_file")).toBe("--approval-mode auto_edit")
    expect(remedy("mcp_s_x")).toBe("--allowed-tools mcp_s_x")
    expect(remedy("write_file", [], { mode: "plan" })).toBe("--approval-mode default")
    expect(remedy("read_file", [userRule({ toolName: "read_file", decision: "deny" })])).toBe("change the rule in test")
    expect(remedy("ask_user")).toBeUndefined()
  })

  test("the rule that is suggested allows the call, unless what stands above it is not the user's", async () => {
    const { readRuleFile } = await import("./rule-file.live.ts")
    const asks = (priority: number, tier: PolicyRule["tier"] = "user") => [
      { ...userRule({ toolName: "*", decision: "ask_user" }, priority), tier, rank: rankOf(tier, priority) }
    ]
    const after = (call: Partial<PolicyCall> & Pick<PolicyCall, "name">, extra: ReadonlyArray<PolicyRule> = []) => {
      const { allowRule } = decideWith(extra, call, { isInteractive: false })
      if (allowRule === undefined) return "no rule"
      const { rules } = readRuleFile(allowRule, { file: "pasted.toml", tier: "user" })
      return decideWith([...extra, ...rules], call, { isInteractive: false }).verdict
    }
    for (const name of ["write_file", "replace", "mcp_s_x", "save_memory", "activate_skill"])
      for (const extra of [[], asks(100), asks(998), asks(998, "workspace")])
        expect([name, after({ name, args: { file_path: "/work/a" } }, extra)]).toEqual([name, "allow"])
    expect(after({ name: "write_file" }, asks(999))).toBe("no rule")
    expect(after({ name: "write_file" }, asks(1, "admin"))).toBe("no rule")
    expect(after({ name: "ask_user" })).toBe("no rule")
    expect(after({ name: "invoke_agent", args: { agent_name: "far" } }, asks(100))).toBe("allow")
  })

  test("a shell call that was not analysed is never allowed", () => {
    const allow = userRule({ toolName: "run_shell_command", decision: "allow" })
    expect(decideWith([allow], { name: "run_shell_command", args: { command: "ls" } }).verdict).toBe("ask")
  })

  test("considered rules end with the one that decided", () => {
    const allow = userRule({ toolName: "write_file", decision: "allow" })
    const other = userRule({ toolName: "write_file", decision: "deny", argsPattern: /never/ }, 200)
    const decision = decideWith([allow, other], { name: "write_file" })
    expect(decision.considered.map((rule) => rule.priority)).toEqual([4.2, 4.1])
  })
})

describe("settings", () => {
  const verdict = (
    settings: Partial<PolicySettings>,
    call: Partial<PolicyCall> & Pick<PolicyCall, "name">,
    context: Partial<DecisionContext> = {}
  ) => {
    const isInteractive = context.isInteractive ?? true
    return decideWith(settingsRules({ ...noSettings, ...settings }, { isInteractive }), call, context).verdict
  }
  const headless = { isInteractive: false }

  test("tools.allowed and tools.exclude", () => {
    expect(verdict({ allowedTools: ["write_file"] }, { name: "write_file" }, headless)).toBe("allow")
    expect(verdict({ allowedTools: ["WriteFileTool"] }, { name: "write_file" }, headless)).toBe("allow")
    expect(verdict({ allowedTools: ["write_file"], excludedTools: ["write_file"] }, { name: "write_file" })).toBe(
      "deny"
    )
    expect(verdict({ excludedTools: ["read_file"] }, { name: "read_file" }, { mode: "yolo" })).toBe("deny")
  })
  test("tools.confirmationRequired is stronger than tools.allowed", () =>
    expect(verdict({ allowedTools: ["glob"], confirmedTools: ["glob"] }, { name: "glob" })).toBe("ask"))
  test("tools.core denies what it does not list, outside plan mode", () => {
    const core = { coreTools: ["read_file"] }
    expect(verdict(core, { name: "read_file" })).toBe("allow")
    expect(verdict(core, { name: "glob" })).toBe("deny")
    expect(verdict(core, { name: "glob" }, { mode: "plan" })).toBe("allow")
    expect(verdict({ coreTools: [] }, { name: "read_file" })).toBe("deny")
  })
  test("servers", () => {
    const call = { name: "mcp_s_x", server: "s" }
    expect(verdict({ excludedServers: ["s"], allowedServers: ["s"] }, call)).toBe("deny")
    expect(verdict({ excludedServers: ["*"] }, call)).toBe("deny")
    expect(verdict({ allowedServers: ["s"] }, call)).toBe("allow")
    expect(verdict({ allowedServers: ["other"] }, call)).toBe("ask")
    expect(verdict({ allowedServers: ["s"] }, call, { mode: "plan" })).toBe("deny")
    expect(verdict({ servers: { s: { trust: true } } }, call)).toBe("allow")
    expect(verdict({ servers: { s: { trust: false } } }, call)).toBe("ask")
    expect(verdict({ servers: { s: { trust: false } }, allowsServersHeadless: true }, call, headless)).toBe("allow")
    expect(verdict({ servers: { s: { trust: false } }, allowsServersHeadless: true }, call)).toBe("ask")
  })
})

describe("hidden tools", () => {
  const names = ["read_file", "write_file", "run_shell_command", "mcp_s_x"].map((name) => ({ name }))
  const hidden = (extra: ReadonlyArray<PolicyRule>, context: Partial<DecisionContext> = {}) =>
    hiddenTools(inOrder([...extra, ...defaultRules()]), names, { ...plainContext, ...context })

  test("headless: what would have to ask", () =>
    expect(hidden([], { isInteractive: false })).toEqual(["write_file", "run_shell_command", "mcp_s_x"]))
  test("interactive, and yolo: nothing", () => {
    expect(hidden([])).toEqual([])
    expect(hidden([], { mode: "yolo", isInteractive: false })).toEqual([])
  })
  test("a rule that allows some calls shows the tool", () => {
    const prefix = userRule({ toolName: "run_shell_command", decision: "allow", commandPrefix: ["git"] })
    expect(hidden([prefix], { isInteractive: false })).toEqual(["write_file", "mcp_s_x"])
    const ask = userRule({ toolName: "run_shell_command", decision: "ask_user", commandPrefix: ["git"] })
    expect(hidden([ask], { isInteractive: false })).toContain("run_shell_command")
  })
  test("a denial with conditions does not hide, one without does", () => {
    const some = userRule({ toolName: "read_file", decision: "deny", argsPattern: /x/ })
    const all = userRule({ toolName: "read_file", decision: "deny" })
    expect([hidden([some]), hidden([all])]).toEqual([[], ["read_file"]])
    expect(hidden([{ ...all, subagent: "a" }])).toEqual([])
  })
  test("a broken rule file hides everything that cannot be asked about", () =>
    expect(hidden([], { isInteractive: false, forceAsk: "broken" })).toHaveLength(4))
})
