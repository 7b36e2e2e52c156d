/** Every answer that a person can give, under the real policy: what runs, what is remembered, what is asked again. */
import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { it } from "../../../test/kit/it.ts"
import { policyOptions } from "../../../test/kit/policy-options.ts"
import { Approval, type ApprovalAnswer, type ApprovalQuestion } from "../../approval/approval.ts"
import { none } from "../../hooks/hooks.ts"
import type { CommandVerdict, Decision } from "../../policy/decision.ts"
import * as PolicyModule from "../../policy/policy.ts"
import { rankOf } from "../../policy/rule.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { CallId } from "../../protocol/ids.ts"
import * as ChangeJournal from "../../session/undo/change-journal.ts"
import * as ShellAnalyzer from "../../shell/analysis/shell-analyzer.ts"
import { builtinTools } from "../builtin-tools.ts"
import { builtinCatalogue } from "../generated/declarations.ts"
import { ToolRegistry } from "../registry.ts"
import { type Tool, ToolFailure } from "../tool.ts"
import { argumentsBeside, LEFT_OUT, whyAsked } from "./ask-person.ts"
import { runCall } from "./run-call.ts"

const base = { aliases: [], classNames: [], description: "", params: null, displayName: "Probe" } as const

const command = (text: string, verdict: CommandVerdict["verdict"]): CommandVerdict => ({
  command: text,
  name: text,
  via: [],
  verdict,
  cause: "rule",
  reason: ""
})
const asked = (more: Partial<Decision>): Decision => ({
  verdict: "ask",
  reason: "a rule asks for it",
  commands: [],
  considered: [],
  ...more
})

test("a rule that ships is not worth its name, one of the user is", () => {
  const rule = { source: "/home/me/.gemini/policies/my.toml:3", priority: 4.1, text: "ask_user write_file" }
  expect(whyAsked(asked({ rule: { ...rule, tier: "default" } }))).toBe("a rule asks for it")
  expect(whyAsked(asked({ rule: { ...rule, tier: "user" } }))).toBe(
    "a rule asks for it (ask_user write_file, /home/me/.gemini/policies/my.toml:3)"
  )
})

test("of several commands those are named that have to be asked about", () => {
  expect(whyAsked(asked({ commands: [command("npm test", "ask")] }))).toBe("a rule asks for it")
  expect(whyAsked(asked({ commands: [command("ls", "allow"), command("npm  test", "ask")] }))).toBe(
    "a rule asks for it, about npm test"
  )
  const many = ["a", "b", "c", "d"].map((name) => command(name, "ask"))
  expect(whyAsked(asked({ commands: many }))).toBe("a rule asks for it, about a, b, c, others")
})

const makeRoom = Effect.fnUntraced(function* (answers: ReadonlyArray<ApprovalAnswer>) {
  const root = yield* Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "ask-")))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  mkdirSync(join(root, "work"))
  const ran: Array<unknown> = []
  const asked: Array<ApprovalQuestion> = []
  const events: Array<ProtocolEvent> = []
  const policy = PolicyModule.layer(policyOptions(root)).pipe(Layer.provide(ShellAnalyzer.layer))
  const tools = toolsThatTell(ran)
  const registry = Layer.mock(ToolRegistry, {
    all: Effect.succeed(tools),
    find: (name) => {
      const tool = tools.find((one) => one.name === name)
      return tool === undefined
        ? Effect.fail(new ToolFailure({ type: "tool_not_registered", message: name }))
        : Effect.succeed(tool)
    }
  })
  const approval = Layer.succeed(Approval, {
    ask: (question) =>
      Effect.sync(() => {
        const answer = answers[asked.length]
        asked.push(question)
        return answer ?? { _tag: "No", reason: "not in the script" }
      })
  })
  const context = yield* Layer.build(Layer.mergeAll(policy, registry, approval, ChangeJournal.layerNone))
  const asking = yield* Effect.makeSemaphore(1)
  const emit = (event: ProtocolEvent) => Effect.sync(() => void events.push(event))
  const run = (name: string, args: Readonly<Record<string, unknown>>) =>
    runCall({ callId: CallId.make(`${name}__1`), name, args }, { emit, asking, hooks: none, canAsk: true }).pipe(
      Effect.provide(context)
    )
  return { root, ran, asked, events, run, policy: Context.get(context, PolicyModule.Policy) }
})

/** A shell, an editor and two tools of one server; running only notes the arguments. */
const toolsThatTell = (ran: Array<unknown>): ReadonlyArray<Tool> => {
  const run = (args: unknown) => () =>
    Effect.sync(() => {
      ran.push(args)
      return { forModel: "ok", display: { type: "text" as const, text: "ok" } }
    })
  const shell: Tool = {
    ...base,
    name: "run_shell_command",
    kind: "execute",
    prepare: (args) => {
      const { command } = args as { readonly command: string }
      return Effect.succeed({
        description: command,
        locations: [],
        narrowing: { by: "command", prefixes: [command.split(" ").slice(0, 2).join(" ")], allowRedirection: false },
        confirmation: Effect.succeed({ type: "exec", title: "Run?", command, rootCommands: [] }),
        revise: (changed) => Effect.succeed({ command: changed }),
        run: run(args)
      })
    }
  }
  const edit: Tool = {
    ...base,
    name: "write_file",
    kind: "edit",
    prepare: (args) =>
      Effect.succeed({
        description: "write",
        locations: [],
        narrowing: { by: "argument", key: "file_path", value: String((args as { file_path: string }).file_path) },
        confirmation: Effect.succeed({ type: "info", title: "Write?", prompt: "", urls: [] }),
        run: run(args)
      })
  }
  const remote = (tool: string): Tool => ({
    ...base,
    name: `mcp_srv_${tool}`,
    server: "srv",
    kind: "other",
    prepare: (args) =>
      Effect.succeed({
        description: tool,
        locations: [],
        narrowing: { by: "mcp", server: "srv", tool },
        confirmation: Effect.succeed(null),
        run: run(args)
      })
  })
  return [shell, edit, remote("one"), remote("two")]
}

const once: ApprovalAnswer = { _tag: "Once" }

it.live("once allows this call and no other", () =>
  Effect.gen(function* () {
    const { asked, ran, run } = yield* makeRoom([once, { _tag: "No", reason: "use make" }])
    expect((yield* run("run_shell_command", { command: "npm test" })).decision).toBe("accept")
    const second = yield* run("run_shell_command", { command: "npm test" })
    expect(second.end).toEqual({ _tag: "Refused", reason: "use make" })
    expect(second.decision).toBe("reject")
    expect([asked.length, ran.length]).toEqual([2, 1])
  })
)

it.live("for the session covers what is like it, and nothing else", () =>
  Effect.gen(function* () {
    const always: ApprovalAnswer = { _tag: "Always", covers: "call", keep: "session" }
    const { asked, events, ran, root, run } = yield* makeRoom([always])
    expect((yield* run("run_shell_command", { command: "npm test" })).decision).toBe("auto_accept")
    yield* run("run_shell_command", { command: "npm test -- --watch" })
    expect([asked.length, ran.length]).toEqual([1, 2])
    yield* run("run_shell_command", { command: "npm publish" })
    expect([asked.length, ran.length]).toEqual([2, 2])
    expect(events.flatMap((event) => (event._tag === "ToolStarted" ? [event.wasAsked] : []))).toEqual([true, false])
    expect(existsSync(join(root, "home/.gemini/policies/auto-saved.toml"))).toBe(false)
  })
)

it.live("calls that wait are not asked about what was just allowed", () =>
  Effect.gen(function* () {
    const { asked, ran, run } = yield* makeRoom([{ _tag: "Always", covers: "call", keep: "session" }])
    const call = run("run_shell_command", { command: "npm test" })
    yield* Effect.all([call, call, call], { concurrency: 3 })
    expect([asked.length, ran.length]).toEqual([1, 3])
  })
)

it.live("saved rules are written down, and the person hears where", () =>
  Effect.gen(function* () {
    const { asked, events, root, run } = yield* makeRoom([{ _tag: "Always", covers: "call", keep: "user" }])
    yield* run("run_shell_command", { command: "npm test" })
    const file = join(root, "home/.gemini/policies/auto-saved.toml")
    const offered = asked[0]?.standing[0]?.savedAs ?? "none"
    expect(offered).toContain('commandPrefix = [ "npm test" ]')
    expect(readFileSync(file, "utf8")).toBe(offered)
    expect(events[0]).toEqual({ _tag: "Notice", severity: "info", message: `saved to ${file}` })
  })
)

it.live("a tool of a server, or the whole server", () =>
  Effect.gen(function* () {
    const { asked, run } = yield* makeRoom([
      { _tag: "Always", covers: "call", keep: "session" },
      { _tag: "Always", covers: "server", keep: "session" }
    ])
    yield* run("mcp_srv_one", {})
    expect(asked[0]?.standing.map(({ covers }) => covers)).toEqual(["call", "server"])
    yield* run("mcp_srv_one", { again: true })
    expect(asked).toHaveLength(1)
    yield* run("mcp_srv_two", {})
    expect(asked).toHaveLength(2)
    yield* run("mcp_srv_two", { again: true })
    expect(asked).toHaveLength(2)
  })
)

it.live("one file for the session does not open the others; all edits is a mode", () =>
  Effect.gen(function* () {
    const { asked, policy, run } = yield* makeRoom([
      { _tag: "Always", covers: "call", keep: "session" },
      { _tag: "Always", covers: "edits", keep: "session" }
    ])
    yield* run("write_file", { file_path: "a" })
    yield* run("write_file", { file_path: "a", content: "2" })
    expect([asked.length, yield* policy.mode]).toEqual([1, "default"])
    yield* run("write_file", { file_path: "b" })
    expect([asked.length, yield* policy.mode]).toEqual([2, "auto_edit"])
    yield* run("write_file", { file_path: "c" })
    expect(asked).toHaveLength(2)
  })
)

it.live("a changed call is shown again and runs as it was changed", () =>
  Effect.gen(function* () {
    const { asked, ran, run } = yield* makeRoom([{ _tag: "Modified", text: "npm run lint", isSettled: false }, once])
    const result = yield* run("run_shell_command", { command: "npm test" })
    expect(asked.map(({ draft }) => draft?.text)).toEqual(["npm test", "npm run lint"])
    expect(ran).toEqual([{ command: "npm run lint" }])
    expect(result.decision).toBe("modify")
  })
)

it.live("a change that was made elsewhere and agreed to runs at once", () =>
  Effect.gen(function* () {
    const { asked, ran, run } = yield* makeRoom([{ _tag: "Modified", text: "npm run lint", isSettled: true }])
    yield* run("run_shell_command", { command: "npm test" })
    expect([asked.length, ran]).toEqual([1, [{ command: "npm run lint" }]])
  })
)

it.live("a change does not get past a rule that denies", () =>
  Effect.gen(function* () {
    const { policy, ran, run } = yield* makeRoom([{ _tag: "Modified", text: "npm publish", isSettled: true }])
    yield* policy.addRules([
      {
        decision: "deny",
        rank: rankOf("user", 999),
        tier: "user",
        source: "test",
        toolName: "run_shell_command",
        commandPrefix: ["npm", "publish"]
      }
    ])
    const result = yield* run("run_shell_command", { command: "npm test" })
    expect(result.denial?.verdict).toBe("deny")
    expect(ran).toEqual([])
  })
)

const info = { type: "info", title: "", prompt: "", urls: [] } as const

/** Of tools of higher rooms, and of those that are declared by what is installed. */
const ELSEWHERE = new Set(["invoke_agent", "activate_skill"])

const declaredBy = (name: string): ReadonlyArray<string> =>
  builtinCatalogue
    .filter((tool) => tool.name === name)
    .flatMap(({ parameters }) => Object.keys(Object(parameters.properties)))

/** Set by this program alone, after a person changed something; and what is declared where there is a sandbox. */
const INTERNAL = [
  "modified_by_user",
  "ai_proposed_content",
  "modified_content",
  "expected_replacements",
  "additional_permissions"
]

describe("what is left out", () => {
  test.each(Object.entries(LEFT_OUT).filter(([name]) => !ELSEWHERE.has(name)))(
    "%s",
    (name, { contained, harmless = {} }) => {
      expect(builtinTools.map((tool) => tool.name) as ReadonlyArray<string>).toContain(name)
      const known = [...declaredBy(name), ...INTERNAL]
      for (const argument of [...contained, ...Object.keys(harmless)]) expect(known).toContain(argument)
      for (const reason of Object.values(harmless)) expect(reason).not.toBe("")
    }
  )
})

test("what nobody thought of is shown", () => {
  const args = { command: "ls", dir_path: "x", description: "d", timeout: 5, extra: ["a"], unset: undefined }
  expect(argumentsBeside("run_shell_command", info, args)).toEqual([
    { name: "timeout", value: "5" },
    { name: "extra", value: '[\n  "a"\n]' }
  ])
  expect(argumentsBeside("constructor", info, { a: "b", wait_for_previous: true })).toEqual([{ name: "a", value: "b" }])
})

test("a tool of a server is shown with its arguments already", () => {
  const mcp = {
    type: "mcp",
    title: "",
    serverName: "s",
    toolName: "t",
    toolDisplayName: "t",
    toolArgs: { a: 1 }
  } as const
  expect(argumentsBeside("mcp_s_t", mcp, { a: 1 })).toEqual([])
})
