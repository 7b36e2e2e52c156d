import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { readRuleFile } from "./rule-file.live.ts"

const read = (text: string) => readRuleFile(text, { file: "f.toml", tier: "user" })
const one = (body: string) => read(`[[rule]]\n${body}`)
const problems = (text: string) =>
  read(text).problems.map(({ kind, line, message }) => `${kind}:${line}: ${message.split("\n")[0]}`)

describe("rules", () => {
  test("every field", () => {
    const { rules } = one(`toolName = "mcp_s_x"
decision = "deny"
priority = 7
mcpName = "s"
argsPattern = "a.*b"
modes = ["default", "autoEdit", "plan"]
interactive = false
subagent = "helper"
allow_redirection = true
deny_message = "no"
name = "ignored"
unknown = 1
[rule.toolAnnotations]
readOnlyHint = true`)
    expect(rules).toEqual([
      {
        toolName: "mcp_s_x",
        mcpName: "s",
        decision: "deny",
        rank: 4007,
        tier: "user",
        source: "f.toml:1",
        argsPattern: /a.*b/,
        modes: ["default", "auto_edit", "plan"],
        interactive: false,
        subagent: "helper",
        annotations: { readOnlyHint: true },
        allowRedirection: true,
        denyMessage: "no"
      }
    ])
  })

  test("lists of names and prefixes give one rule each", () => {
    expect(one('toolName = ["a", "b"]\ndecision = "allow"\npriority = 1').rules.map((rule) => rule.toolName)).toEqual([
      "a",
      "b"
    ])
    const shell = one(
      'toolName = "run_shell_command"\ndecision = "allow"\npriority = 1\ncommandPrefix = ["git status", "npm \\"a b\\""]'
    )
    expect(shell.rules.map((rule) => rule.commandPrefix)).toEqual([
      ["git", "status"],
      ["npm", "a b"]
    ])
  })

  test("commandRegex is anchored at the beginning", () => {
    const [rule] = one(
      'toolName = "run_shell_command"\ndecision = "allow"\npriority = 1\ncommandRegex = "git (a|b)|npm"'
    ).rules
    expect(["git a", "git b c", "npm", "x git a", "x npm"].map((text) => rule?.commandRegex?.test(text))).toEqual([
      true,
      true,
      true,
      false,
      false
    ])
  })

  test("mcpName alone means every tool of the server", () =>
    expect(one('mcpName = "s"\ndecision = "allow"\npriority = 1').rules).toMatchObject([
      { toolName: "*", mcpName: "s" }
    ]))

  test("a checker in a rule has the rule's conditions", () => {
    const { rules, checkers } = one(`toolName = "write_file"
decision = "allow"
priority = 5
[rule.safety_checker]
type = "in-process"
name = "allowed-path"`)
    expect(rules).toHaveLength(1)
    expect(checkers).toEqual([
      { toolName: "write_file", rank: 4005, source: "f.toml:1", checker: { type: "in-process", name: "allowed-path" } }
    ])
  })

  test("checkers of their own", () => {
    const { checkers } = read(`[[safety_checker]]
toolName = "run_shell_command"
commandPrefix = "rm"
[safety_checker.checker]
type = "external"
name = "mine"
required_context = ["environment"]
config = { a = 1 }`)
    expect(checkers).toEqual([
      {
        toolName: "run_shell_command",
        commandPrefix: ["rm"],
        rank: 4000,
        source: "f.toml:1",
        checker: { type: "external", name: "mine", requiredContext: ["environment"], config: { a: 1 } }
      }
    ])
  })
})

describe("faults", () => {
  test.each(["ro", "raed_file", "s__x"])("%s of a server is its own name", (name) => {
    const { problems, rules } = read(`[[rule]]\nmcpName = "s"\ntoolName = "${name}"\ndecision = "allow"\npriority = 1`)
    expect([rules.length, problems]).toEqual([1, []])
  })

  const good = '[[rule]]\ntoolName = "glob"\ndecision = "deny"\npriority = 1\n'

  test("one bad rule does not take the others with it", () => {
    const { rules, isParsed } = read(`${good}[[rule]]\ntoolName = "x"\ndecision = "maybe"\npriority = 1\n${good}`)
    expect([rules.length, isParsed]).toEqual([2, true])
  })

  const table: ReadonlyArray<readonly [string, string]> = [
    [
      '[[rule]]\ntoolName = "a_tool"\ndecision = "allow"\npriority = 1000',
      "schema_validation:4: priority: must be a whole number from 0 to 999"
    ],
    [
      '[[rule]]\ntoolName = "a_tool"\ndecision = "no"\npriority = 1',
      'schema_validation:3: decision: must be one of "allow"'
    ],
    ['[[rule]]\ntoolName = 1\ndecision = "deny"\npriority = 1', "schema_validation:2: toolName: must be a string"],
    ['[[rule]]\ntoolName = "a_tool"\npriority = 1', "schema_validation:1: decision: "],
    ['[[rule]]\ndecision = "allow"\npriority = 1', "schema_validation:1: toolName: is missing"],
    ['[[rule]]\ntoolName = "a_tool"\ndecision = "allow"\npriority = 1.5', "schema_validation:4: priority: "],
    ['[rule]\ntoolName = "a_tool"', "schema_validation:1: rule: must be written as [[rule]]"],
    [
      '[[rule]]\ntoolName = "glob"\ndecision = "allow"\npriority = 1\ncommandPrefix = "x"',
      "rule_validation:5: commandPrefix: only with"
    ],
    [
      '[[rule]]\ntoolName = ["run_shell_command"]\ndecision = "allow"\npriority = 1\ncommandRegex = "x"',
      "rule_validation:5: commandRegex: only with"
    ],
    [
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 1\ncommandPrefix = "x"\ncommandRegex = "y"',
      "rule_validation:5: commandPrefix: commandPrefix and"
    ],
    [
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 1\ncommandPrefix = "x"\nargsPattern = "y"',
      "rule_validation:5: commandPrefix: not together"
    ],
    [
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\npriority = 1\ncommandPrefix = " "',
      "rule_validation:5: commandPrefix: a prefix is empty"
    ],
    [
      '[[rule]]\ntoolName = "glob"\ndecision = "allow"\npriority = 1\nargsPattern = "("',
      "regex_compilation:5: argsPattern: "
    ],
    [
      '[[rule]]\ntoolName = "glob"\ndecision = "allow"\npriority = 1\nargsPattern = "(a+)+"',
      "regex_compilation:5: argsPattern: a repeated group"
    ],
    [
      `[[rule]]\ntoolName = "glob"\ndecision = "allow"\npriority = 1\nargsPattern = "${"a".repeat(2049)}"`,
      "regex_compilation:5: argsPattern: it is longer"
    ],
    [
      '[[rule]]\ntoolName = "raed_file"\ndecision = "deny"\npriority = 1',
      'tool_name_warning:2: toolName: no tool is named "raed_file"'
    ],
    ['[[rule]]\ntoolName = "s__x"\ndecision = "deny"\npriority = 1', "tool_name_warning:2: toolName: "],
    ["x = 1\n[[rule]\n", "toml_parse:2: "],
    [
      '[[safety_checker]]\ntoolName = "glob"\nchecker = { type = "external", name = "../x" }',
      "schema_validation:3: checker.name: "
    ]
  ]
  test.each(table)("%p", (text, expected) => {
    const [first = "", ...others] = problems(text)
    expect(others).toEqual([])
    expect(first.slice(0, expected.length)).toBe(expected)
  })

  test("a rule that broke a shell condition is dropped, a misspelt name is only reported", () => {
    expect(read(table[7]?.[0] ?? "").rules).toEqual([])
    expect(read(table[15]?.[0] ?? "").rules).toHaveLength(1)
  })

  test("what is no TOML is told apart", () => expect(read("= 1").isParsed).toBe(false))

  test("arbitrary text never throws", () =>
    FastCheck.assert(FastCheck.property(FastCheck.string(), (text) => void read(`[[rule]]\n${text}`))))
})

test("a rule under a name that nobody reads is reported with its line", () =>
  expect(
    readRuleFile('\n[[rules]]\ntoolName = "glob"\ndecision = "deny"\n', { file: "a.toml", tier: "user" }).problems.map(
      ({ line, severity }) => [severity, line]
    )
  ).toEqual([["error", 2]]))

describe("tables for tools", () => {
  const tools = (text: string) => readRuleFile(text, { file: "policy.toml", tier: "workspace" })

  test("modes and excluded paths", () =>
    expect(
      tools('[tools.edit]\nmode = "always_allow"\nexcluded_paths = ["/etc/*"]\n[tools.glob]\nmode = "always_deny"')
        .rules
    ).toEqual([
      { toolName: "replace", decision: "allow", rank: 3500, tier: "workspace", source: "policy.toml:1" },
      {
        toolName: "replace",
        decision: "ask_user",
        rank: 3510,
        tier: "workspace",
        source: "policy.toml:1",
        pathGlobs: ["/etc/*"]
      },
      { toolName: "glob", decision: "deny", rank: 3500, tier: "workspace", source: "policy.toml:4" }
    ]))

  test("unknown names and modes are reported", () =>
    expect(
      tools('[tools.nothing]\nmode = "ask_user"\n[tools.glob]\nmode = "sometimes"').problems.map(({ kind, line }) => [
        kind,
        line
      ])
    ).toEqual([
      ["tool_name_warning", 1],
      ["schema_validation", 4]
    ]))
})
