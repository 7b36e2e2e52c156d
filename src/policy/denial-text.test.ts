import { expect, test } from "bun:test"
import type { CommandVerdict, Decision, RuleFacts } from "./decision.ts"
import { denialText } from "./denial-text.ts"

const rule: RuleFacts = { source: "user.toml", tier: "user", priority: 4.1, text: 'deny run_shell_command "rm"' }
const command = (text: string, verdict: CommandVerdict["verdict"], reason: string, via: ReadonlyArray<string> = []) =>
  ({ command: text, name: text.split(" ")[0] ?? "", via, verdict, cause: "rule", reason }) satisfies CommandVerdict
const denied = (changes: Partial<Decision>): Decision => ({
  verdict: "deny",
  reason: "a rule denies it",
  commands: [],
  considered: [],
  ...changes
})

test.each<[string, Decision, string]>([
  ["a tool", denied({ rule }), 'a rule denies it (deny run_shell_command "rm" [user.toml])'],
  [
    "one part of a line",
    denied({
      rule,
      commands: [command("ls", "allow", "a rule allows it"), command("rm -rf x", "deny", "a rule denies it", ["$(…)"])]
    }),
    '`rm -rf x` (in $(…)): a rule denies it (deny run_shell_command "rm" [user.toml])'
  ],
  [
    "a question that nobody answers",
    denied({
      reason: "no rule allows it; nobody can be asked in a headless run",
      commands: [command("make", "ask", "no rule allows it")]
    }),
    "`make`: no rule allows it; nobody can be asked in a headless run"
  ],
  [
    "a reason of the line as a whole",
    denied({ reason: "the line is too long", commands: [command("ls", "ask", "no rule allows it")] }),
    "the line is too long"
  ],
  ["the words of the rule", denied({ rule, denyMessage: "Ask the team first." }), "Ask the team first."],
  [
    "a long command with control characters",
    denied({ commands: [command(`rm \u001b[2J ${"x".repeat(200)}`, "deny", "a rule denies it")] }),
    `\`rm  [2J ${"x".repeat(111)}…\`: a rule denies it`
  ]
])("%s", (_, decision, text) => expect(denialText(decision)).toBe(text))
