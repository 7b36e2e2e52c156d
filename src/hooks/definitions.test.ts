/** Where hooks are written down, which of them are meant, and in which order they run. */
import { describe, expect, test } from "bun:test"
import { fromExtensions, fromTable } from "./definitions.ts"
import type { Hook, HookScope } from "./hook.ts"
import { matcherFault, matches, planHooks } from "./matching.ts"

test("an extension brings hooks with the values of its settings", () => {
  const { hooks } = fromExtensions([
    {
      name: "ext",
      version: "1",
      path: "/ext",
      mcpServers: {},
      contextFiles: [],
      excludeTools: [],
      hooks: { AfterTool: [{ hooks: [{ type: "command", command: "x", env: { B: "own" } }] }] },
      hooksFile: "/ext/hooks/hooks.json",
      environment: { A: "set", B: "set" },
      planDirectory: undefined
    }
  ])
  expect(hooks).toHaveLength(1)
  expect(hooks[0]).toMatchObject({ given: { A: "set", B: "set" }, env: { B: "own" } })
  expect(hooks[0]?.source).toMatchObject({ scope: "extension", extension: "ext", file: "/ext/hooks/hooks.json" })
})

describe("matching", () => {
  const tool = (...names: ReadonlyArray<string>) => ({ _tag: "Tool", names }) as const
  const word = (text: string) => ({ _tag: "Trigger", word: text }) as const
  const TABLE = [
    [undefined, tool("write_file"), true],
    ["", tool("write_file"), true],
    ["*", tool("write_file"), true],
    ["write", tool("write_todos"), true],
    ["^write_file$", tool("write_todos"), false],
    ["write_file|replace", tool("replace"), true],
    ["search_file_content", tool("grep_search", "search_file_content"), true],
    ["[", tool("["), true],
    ["[", tool("x["), false],
    ["startup", word("startup"), true],
    ["start", word("startup"), false],
    ["anything", { _tag: "Any" } as const, true]
  ] as const
  test.each(TABLE)("%j on %j: %p", (matcher, target, expected) => expect(matches(matcher, target)).toBe(expected))
})

test("a matcher that is no regular expression is told with its place, where tools are meant", () => {
  const faultOf = (event: "BeforeTool" | "SessionStart", matcher: string) => {
    const table = { [event]: [{ matcher, hooks: [{ type: "command", command: "x" }] }] }
    return fromTable(table, { scope: "user", file: "f" }, () => 3).hooks.flatMap(matcherFault)
  }
  expect(faultOf("BeforeTool", "write_(file")).toEqual([
    'f:3: hooks.BeforeTool: the matcher "write_(file" is no regular expression; it means only a tool of that very name'
  ])
  expect(faultOf("BeforeTool", "*")).toEqual([])
  expect(faultOf("BeforeTool", "write.*")).toEqual([])
  expect(faultOf("SessionStart", "(")).toEqual([])
})

describe("the plan", () => {
  const hook = (command: string, scope: HookScope, more: Partial<Hook> = {}): Hook => ({
    event: "BeforeTool",
    command,
    name: undefined,
    description: undefined,
    matcher: undefined,
    isSequential: false,
    timeoutMs: 1,
    env: {},
    given: {},
    failsClosed: false,
    streams: false,
    source: { scope, file: "f" },
    ...more
  })
  const request = { event: "BeforeTool", target: { _tag: "Any" }, disabled: new Set<string>() } as const
  const commandsOf = (hooks: ReadonlyArray<Hook>, more: object = {}) =>
    planHooks(hooks, { ...request, ...more }).hooks.map(({ command }) => command)

  test("the project's come first, then the user's, the system's and those of extensions", () => {
    const hooks = [
      hook("e", "extension"),
      hook("s", "system"),
      hook("u1", "user"),
      hook("p", "project"),
      hook("u2", "user")
    ]
    expect(commandsOf(hooks)).toEqual(["p", "u1", "u2", "s", "e"])
  })
  test("the same name and command run once", () => {
    expect(commandsOf([hook("a", "user"), hook("a", "project"), hook("a", "user", { name: "n" })])).toEqual(["a", "a"])
  })
  test("what is switched off by name or by command does not run", () => {
    const hooks = [hook("a", "user"), hook("b", "user", { name: "n" })]
    expect(commandsOf(hooks, { disabled: new Set(["a"]) })).toEqual(["b"])
    expect(commandsOf(hooks, { disabled: new Set(["b"]) })).toEqual(["a", "b"])
    expect(commandsOf(hooks, { disabled: new Set(["n"]) })).toEqual(["a"])
  })
  test("one that wants a sequence makes all of them one; one that is not meant does not", () => {
    const wants = hook("b", "user", { isSequential: true, matcher: "^x$" })
    const target = (name: string) => ({ _tag: "Tool", names: [name] }) as const
    expect(planHooks([hook("a", "user"), wants], { ...request, target: target("x") }).isSequential).toBe(true)
    expect(planHooks([hook("a", "user"), wants], { ...request, target: target("y") }).isSequential).toBe(false)
  })
})
