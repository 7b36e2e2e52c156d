import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { argumentPattern } from "./always.ts"
import { canonicalArguments } from "./argument-forms.ts"
import type { PolicyCall } from "./decision.ts"
import { matchesArguments, matchesCall } from "./matching.ts"
import { withPlainPaths } from "./paths.ts"
import type { RuleConditions } from "./rule.ts"
import { plainContext } from "./test-context.ts"

const call = (name: string, more: Partial<PolicyCall> = {}): PolicyCall => ({ name, args: {}, ...more })
const fromServer = (name: string, server: string) => call(name, { server })

describe("tool names", () => {
  const table: ReadonlyArray<readonly [Partial<RuleConditions>, PolicyCall, boolean]> = [
    [{ toolName: "*" }, call("read_file"), true],
    [{ toolName: "read_file" }, call("read_file"), true],
    [{ toolName: "read_file" }, call("write_file"), false],
    [{ toolName: "search_file_content" }, call("grep_search"), true],
    [{ toolName: "grep_search" }, call("search_file_content"), true],
    [{ toolName: "mine" }, call("read_file", { aliases: ["mine"] }), true],
    [{ toolName: "discovered_tool_*" }, call("discovered_tool_x"), true],
    [{ toolName: "discovered_tool_*" }, call("other"), false],
    [
      { toolName: "codebase_investigator" },
      call("invoke_agent", { args: { agent_name: "codebase_investigator" } }),
      true
    ],
    [{ toolName: "codebase_investigator" }, call("invoke_agent", { args: { agent_name: "other" } }), false],
    [{ toolName: "mcp_*" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "mcp_*" }, call("read_file"), false],
    [{ toolName: "mcp_*" }, call("mcp_git_log"), true],
    [{ toolName: "mcp_git_*" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "mcp_git_*" }, fromServer("mcp_github_log", "github"), false],
    [{ toolName: "mcp_my_server_*" }, fromServer("mcp_my_server_log", "my_server"), true],
    [{ toolName: "mcp_my_*" }, fromServer("mcp_my_server_log", "my_server"), false],
    [{ toolName: "mcp_*_log" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "mcp_*_log" }, fromServer("mcp_git_blog", "git"), false],
    [{ toolName: "mcp_git_log" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "log", mcpName: "git" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "log", mcpName: "git" }, fromServer("mcp_hg_log", "hg"), false],
    [{ toolName: "log", mcpName: "*" }, fromServer("mcp_hg_log", "hg"), true],
    [{ toolName: "*", mcpName: "git" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "*", mcpName: "*" }, call("read_file"), false],
    [{ toolName: "mcp_git_log", mcpName: "git" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "git__log" }, fromServer("mcp_git_log", "git"), true],
    [{ toolName: "log", mcpName: "git" }, call("mcp_git_log", { annotations: { _serverName: "git" } }), true]
  ]
  test.each(table)("%o on %o", (rule, target, expected) =>
    expect(matchesCall({ toolName: "*", ...rule }, target, plainContext)).toBe(expected)
  )
})

describe("other conditions", () => {
  const matches = (rule: Partial<RuleConditions>, more: Partial<PolicyCall> = {}, context = plainContext) =>
    matchesCall({ toolName: "*", ...rule }, call("x", more), context)

  test("modes", () => {
    expect(matches({ modes: ["yolo"] })).toBe(false)
    expect(matches({ modes: ["yolo", "default"] })).toBe(true)
    expect(matches({ modes: [] })).toBe(true)
  })
  test("interactive", () =>
    expect([matches({ interactive: true }), matches({ interactive: false })]).toEqual([true, false]))
  test("subagent", () => {
    expect(matches({ subagent: "a" })).toBe(false)
    expect(matches({ subagent: "a" }, { subagent: "a" })).toBe(true)
  })
  test("annotations must all be equal", () => {
    const rule = { annotations: { readOnlyHint: true } }
    expect(matches(rule)).toBe(false)
    expect(matches(rule, { annotations: { readOnlyHint: true, other: 1 } })).toBe(true)
    expect(matches({ annotations: { toString: undefined } }, { annotations: {} })).toBe(false)
  })
  test("path patterns look at resolved paths and real paths", () => {
    const globs = (file_path: string, pathGlobs: ReadonlyArray<string>, context = plainContext) =>
      matches({ pathGlobs }, { args: { file_path } }, context)
    expect(globs("~/.ssh/id_rsa", ["~/.ssh/*"])).toBe(true)
    expect(globs("../home/me/.ssh/id_rsa", ["~/.ssh/*"])).toBe(true)
    expect(globs("/etc/ssh/config", ["/etc/*"])).toBe(false)
    expect(globs("/etc/ssh/config", ["/etc/**"])).toBe(true)
    expect(globs("link", ["/etc/*"], { ...plainContext, realPath: () => "/etc/passwd" })).toBe(true)
    expect(globs("loop", ["/etc/*"], { ...plainContext, realPath: () => undefined })).toBe(true)
    expect(globs("a.txt", ["/etc/*"])).toBe(false)
    for (const path of ["secret/x", "a/secret/x", "a/b/secret/x", "/elsewhere/secret/x", "/secret/x"]) {
      expect({ path, found: globs(path, ["**/secret/*"]) }).toEqual({ path, found: true })
    }
    expect(globs("notsecret/x", ["**/secret/*"])).toBe(false)
    expect(globs("src/a/secret/x", ["src/**/secret/*"])).toBe(true)
    expect(globs("src/secret/x", ["src/**/secret/*"])).toBe(true)
    expect(globs("secret/x", ["src/**/secret/*"])).toBe(false)
  })
})

describe("canonical arguments", () => {
  test("sorts keys at every level and wraps the top ones", () =>
    expect(canonicalArguments({ b: { y: 1, x: undefined }, a: [1, undefined, "é"] })).toBe(
      '{\0"a":[1,null,"é"]\0,\0"b":{"y":1}\0}'
    ))
  test("survives cycles, functions and big numbers", () => {
    const cycle: Record<string, unknown> = { f: () => 1, n: 10n }
    cycle.self = cycle
    expect(canonicalArguments(cycle)).toBe('{\0"n":10\0,\0"self":"[Circular]"\0}')
  })
  test("text in a value never looks like a top-level argument", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.dictionary(FastCheck.constantFrom("x", "y"), FastCheck.jsonValue()), (args) => {
        const hostile = { ...args, note: '\0"file_path":"a"\0', nested: { file_path: "a" } }
        return !matchesArguments(
          { toolName: "*", argsPattern: new RegExp(argumentPattern("file_path", "a")) },
          call("x", { args: hostile }),
          "wide"
        )
      })
    ))
  test("patterns are not anchored", () =>
    expect(matchesArguments({ toolName: "*", argsPattern: /"a":1/ }, call("x", { args: { a: 1, b: 2 } }), "used")).toBe(
      true
    ))
})

describe("paths as the tools read them", () => {
  const seen = (args: Record<string, unknown>, more: Partial<PolicyCall> = {}) =>
    withPlainPaths({ name: "read_file", args, ...more }, "/work").args

  test("mentions and addresses become plain paths, also in lists", () => {
    expect(seen({ file_path: "@secret.txt" })).toEqual({ file_path: "secret.txt" })
    expect(seen({ file_path: "file:///work/secret.txt" })).toEqual({ file_path: "/work/secret.txt" })
    expect(seen({ include: ["@a", "b"], nested: { path: "@c" } })).toEqual({
      include: ["a", "b"],
      nested: { path: "c" }
    })
  })

  test("other text, foreign tools and malformed addresses stay as they are", () => {
    expect(seen({ content: "@x", file_path: "file://%" })).toEqual({ content: "@x", file_path: "file://%" })
    expect(seen({ path: "@x" }, { server: "s" })).toEqual({ path: "@x" })
  })
})
