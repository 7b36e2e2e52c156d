import { describe, expect } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Context, Effect, Exit, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import { policyOptions } from "../../test/kit/policy-options.ts"
import * as ShellAnalyzer from "../shell/analysis/shell-analyzer.ts"
import { layer, Policy, type PolicyOptions } from "./policy.ts"

const shell = (command: string) => ({ name: "run_shell_command", args: { command }, kind: "execute" })

const makeRoot = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "policy-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const put = (path: string, content: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

const started = Effect.fnUntraced(function* (root: string, more: Partial<PolicyOptions> = {}) {
  mkdirSync(join(root, "work"), { recursive: true })
  const context = yield* Layer.build(Layer.provide(layer(policyOptions(root, more)), ShellAnalyzer.layer))
  return Context.get(context, Policy)
})

describe("Policy", () => {
  it.live("decides shell lines with an explanation", () =>
    Effect.gen(function* () {
      const policy = yield* started(yield* makeRoot)
      expect((yield* policy.decide(shell("ls | wc -l"))).verdict).toBe("allow")
      const decision = yield* policy.decide(shell("ls; npm test"))
      expect(decision).toMatchObject({
        verdict: "ask",
        reason: "the default is to ask",
        allowWith: '--allowed-tools "run_shell_command(ls)" --allowed-tools "run_shell_command(npm test)"'
      })
      expect(decision.commands.map(({ name, verdict }) => [name, verdict])).toEqual([
        ["ls", "allow"],
        ["npm", "ask"]
      ])
    })
  )

  it.live("answers nonsense arguments", () =>
    Effect.gen(function* () {
      const policy = yield* started(yield* makeRoot)
      for (const args of [
        {},
        { command: 5 },
        { command: null },
        { command: "x".repeat(1_000_000) },
        { command: "(".repeat(10_000) }
      ]) {
        expect((yield* policy.decide({ name: "run_shell_command", args })).verdict).toBe("ask")
      }
    })
  )

  it.live("rules of files count, and their checkers run", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      put(
        join(root, "home/.gemini/policies/a.toml"),
        '[[rule]]\ntoolName = "write_file"\ndecision = "allow"\npriority = 1\n[rule.safety_checker]\ntype = "in-process"\nname = "allowed-path"\n'
      )
      const policy = yield* started(root)
      const write = (file_path: string) =>
        Effect.map(policy.decide({ name: "write_file", args: { file_path } }), ({ verdict }) => verdict)
      expect([yield* write("a.txt"), yield* write("/etc/x"), yield* write(".vscode/x")]).toEqual([
        "allow",
        "deny",
        "ask"
      ])
    })
  )

  it.live("a checker's question is a denial where nobody can be asked", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      put(
        join(root, "home/.gemini/policies/a.toml"),
        '[[safety_checker]]\ntoolName = "read_file"\nchecker = { type = "in-process", name = "allowed-path" }\n'
      )
      const policy = yield* started(root, { isInteractive: false })
      expect(yield* policy.decide({ name: "read_file", args: { file_path: ".vscode/x" } })).toMatchObject({
        verdict: "deny"
      })
    })
  )

  it.live("an administrator's broken file stops the start", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      put(join(root, "work/admin.toml"), "broken")
      const exit = yield* Effect.exit(started(root, { adminPolicyPaths: ["admin.toml"] }))
      expect(Exit.isFailure(exit)).toBe(true)
    })
  )

  it.live("an approval for the session counts at once, and is narrowed", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      const policy = yield* started(root)
      const always = {
        toolName: "run_shell_command",
        narrowing: { by: "command", prefixes: ["npm test"], allowRedirection: false },
        keep: "session"
      } as const
      expect(yield* policy.previewAlways(always)).toContain('commandPrefix = [ "npm test" ]')
      yield* policy.addAlways(always)
      expect((yield* policy.decide(shell("npm test"))).verdict).toBe("allow")
      expect((yield* policy.decide(shell("npm run x"))).verdict).toBe("ask")
      expect(existsSync(join(root, "home/.gemini/policies"))).toBe(false)
    })
  )

  it.live("a saved approval is found by the next process", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      const first = yield* started(root)
      const narrowing = { by: "argument", key: "file_path", value: 'a "b".txt' } as const
      const { file } = yield* first.addAlways({ toolName: "write_file", narrowing, keep: "user" })
      expect(file).toBe(join(root, "home/.gemini/policies/auto-saved.toml"))
      const second = yield* started(root)
      const write = (file_path: string) =>
        Effect.map(second.decide({ name: "write_file", args: { file_path, content: "" } }), ({ verdict }) => verdict)
      expect([yield* write('a "b".txt'), yield* write("other.txt")]).toEqual(["allow", "ask"])
    })
  )

  it.live("approvals saved in the project need no second agreement", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      const first = yield* started(root)
      yield* first.addAlways({ toolName: "activate_skill", keep: "workspace" })
      const second = yield* started(root)
      expect((yield* second.decide({ name: "activate_skill", args: {} })).verdict).toBe("allow")
    })
  )

  it.live("a link of the project does not lead what is saved in it elsewhere", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      const mine = join(root, "mine")
      writeFileSync(mine, "mine")
      mkdirSync(join(root, "work/.gemini/policies"), { recursive: true })
      symlinkSync(mine, join(root, "work/.gemini/policies/auto-saved.toml"))
      const outcome = yield* (yield* started(root)).addAlways({ toolName: "activate_skill", keep: "workspace" })
      expect([outcome.file, outcome.notice]).toEqual([undefined, expect.stringContaining("leads out of")])
      expect(readFileSync(mine, "utf8")).toBe("mine")
    })
  )

  it.live("what may hold a secret is not saved", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      const policy = yield* started(root)
      const narrowing = { by: "command", prefixes: ["API_KEY=abc npm test"], allowRedirection: false } as const
      const outcome = yield* policy.addAlways({ toolName: "run_shell_command", narrowing, keep: "user" })
      expect([outcome.file, outcome.notice]).toEqual([undefined, "it may hold a secret, so it was not saved"])
    })
  )

  it.live("a failed save is told, and the rule counts all the same", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      put(join(root, "home/.gemini"), "a file in the way")
      const policy = yield* started(root)
      const outcome = yield* policy.addAlways({ toolName: "activate_skill", keep: "user" })
      expect(outcome.notice).toStartWith("not saved: ")
      expect((yield* policy.decide({ name: "activate_skill", args: {} })).verdict).toBe("allow")
    })
  )

  it.live("approvals can be switched off", () =>
    Effect.gen(function* () {
      const policy = yield* started(yield* makeRoot, { disablesAlways: true })
      expect((yield* policy.addAlways({ toolName: "activate_skill", keep: "session" })).rules).toEqual([])
    })
  )

  it.live("a project's allowing rules wait for agreement", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      put(
        join(root, "work/.gemini/policies/a.toml"),
        '[[rule]]\ntoolName = "web_fetch"\ndecision = "allow"\npriority = 1\n'
      )
      const policy = yield* started(root)
      const verdict = Effect.map(policy.decide({ name: "web_fetch", args: {} }), (decision) => decision.verdict)
      expect([yield* verdict, (yield* policy.pendingWorkspace)?.rules.length]).toEqual(["ask", 1])
      yield* policy.acceptWorkspace
      expect([yield* verdict, yield* policy.pendingWorkspace]).toEqual(["allow", undefined])
      expect(readFileSync(join(root, "home/.gemini/policy_integrity.json"), "utf8")).toContain(
        `workspace:${join(root, "work")}`
      )
    })
  )

  it.live("modes are refused where they may not be used", () =>
    Effect.gen(function* () {
      const root = yield* makeRoot
      const policy = yield* started(root, { disablesYolo: true })
      yield* policy.setMode("auto_edit")
      expect(yield* policy.mode).toBe("auto_edit")
      expect((yield* policy.decide({ name: "write_file", args: {} })).verdict).toBe("allow")
      expect((yield* Effect.flip(policy.setMode("yolo"))).message).toContain("switched off")
      const untrusted = yield* started(root, { isTrusted: false })
      expect((yield* Effect.flip(untrusted.setMode("auto_edit"))).message).toContain("not trusted")
      yield* untrusted.setMode("plan")
      expect(yield* untrusted.mode).toBe("plan")
    })
  )

  it.live("says which tools are hidden", () =>
    Effect.gen(function* () {
      const policy = yield* started(yield* makeRoot, { isInteractive: false })
      expect(yield* policy.hiddenTools([{ name: "read_file" }, { name: "write_file" }])).toEqual(["write_file"])
    })
  )
})
