import { expect, test } from "bun:test"
import { parse } from "smol-toml"
import type { Decision } from "./decision.ts"
import { decisionJson, decisionText, exitCodeOf, rulesJson, rulesText } from "./explain.ts"
import { userRule } from "./test-context.ts"

const rule = { source: "f.toml:3", tier: "user", priority: 4.1, text: "deny run_shell_command" } as const
const decision: Decision = {
  verdict: "deny",
  reason: "a rule denies it",
  rule,
  commands: [
    { command: "ls", name: "ls", via: [], verdict: "allow", cause: "safe", reason: "it only looks" },
    {
      command: "rm\u001b[31m x",
      name: "rm",
      via: ["bash -c", "$(…)"],
      verdict: "deny",
      cause: "rule",
      reason: "a rule denies it",
      rule
    }
  ],
  considered: [rule],
  denyMessage: "ask me first",
  allowWith: "change the rule in f.toml:3"
}

test("the text names verdict, rule, remedy, commands and rules, without control characters", () =>
  expect(decisionText(decision)).toBe(
    `deny: a rule denies it
  rule: 4.100 deny run_shell_command [f.toml:3]
  message: ask me first
  to allow it: change the rule in f.toml:3
commands:
  allow ls: it only looks
  deny  rm [31m x (in bash -c > $(…)): a rule denies it
        4.100 deny run_shell_command [f.toml:3]
rules tried, in order:
  4.100 deny run_shell_command [f.toml:3]
`
  ))

test("a rule that would allow it can be copied out of the text", () => {
  const allowRule = '[[rule]]\ndecision = "allow"\npriority = 500\ntoolName = "x"\n'
  const text = decisionText({ ...decision, commands: [], allowRule })
  expect(text).toContain("  or by this rule in ~/.gemini/policies/allowed.toml:\n    [[rule]]\n    decision")
  const lines = text.split("\n").filter((line) => line.startsWith("    "))
  expect(parse(lines.join("\n"))).toEqual({ rule: [{ decision: "allow", priority: 500, toolName: "x" }] })
})

test("the JSON form has every key, in snake case where scripts read it", () =>
  expect(Object.keys(decisionJson({ verdict: "allow", reason: "", commands: [], considered: [] }))).toEqual([
    "verdict",
    "reason",
    "rule",
    "commands",
    "considered",
    "power",
    "deny_message",
    "allow_with",
    "allow_rule"
  ]))

test("exit codes", () => expect([exitCodeOf("allow"), exitCodeOf("ask"), exitCodeOf("deny")]).toEqual([0, 2, 3]))

test("rules are listed with priority, tier, text and source", () => {
  const rules = [
    userRule({ toolName: "run_shell_command", decision: "allow", commandPrefix: ["git", "log"], modes: ["default"] })
  ]
  expect(rulesText(rules)).toBe(
    '4.100 user      allow run_shell_command commandPrefix="git log" modes=default [test]\n'
  )
  expect(rulesJson(rules)).toEqual([
    {
      decision: "allow",
      toolName: "run_shell_command",
      priority: 4.1,
      tier: "user",
      source: "test",
      commandPrefix: "git log",
      modes: ["default"]
    }
  ])
  expect(rulesText([])).toBe("No rules.\n")
})
