/** Where hooks are written down, which of them are meant, and in which order they run. */
import { describe, expect, test } from "bun:test"
import { fromExtensions } from "./definitions.ts"
import type { Hook, HookScope } from "./hook.ts"
import { readHooksToml } from "./hooks-toml.live.ts"
import { matches } from "./matching.ts"
import { planHooks } from "./plan.ts"

const source = { scope: "user", file: "hooks.toml" } as const

describe("hooks.toml", () => {
  test("one table is one definition, and a list of tables is several", () => {
    const { hooks, problems } = readHooksToml(
      `[hooks.SessionStart]
hooks = [{ type = "command", command = "a", timeout = 5, name = "n" }]

[[hooks.BeforeTool]]
matcher = "write_file"
sequential = true
hooks = [{ type = "command", command = "b", failClosed = true }, { type = "command", command = "c", env = { X = "1" } }]

[[hooks.BeforeTool]]
hooks = [{ type = "command", command = "d", stream = true }]
`,
      source
    )
    expect(problems).toEqual([])
    expect(hooks.map(({ command, event, source }) => [event, command, source.line])).toEqual([
      ["SessionStart", "a", 1],
      ["BeforeTool", "b", 4],
      ["BeforeTool", "c", 4],
      ["BeforeTool", "d", 9]
    ])
    expect(hooks[0]).toMatchObject({ name: "n", timeoutMs: 5, isSequential: false, failsClosed: false })
    expect(hooks[1]).toMatchObject({ matcher: "write_file", isSequential: true, failsClosed: true, timeoutMs: 60_000 })
    expect(hooks[2]?.env).toEqual({ X: "1" })
    expect(hooks[3]?.streams).toBe(true)
  })

  const FAULTS: ReadonlyArray<readonly [text: string, problem: string]> = [
    ["[hooks.BeforeTool\n", "hooks.toml:1: "],
    ['a = 1\n[hooks.X]\nhooks = "', "hooks.toml:3: "],
    [
      "\n[hooks.BeforTool]\nhooks = []\n",
      "hooks.toml:2: there is no hook event BeforTool; ignored (did you mean BeforeTool?)"
    ],
    ['[hooks.AfterTool]\nhooks = [{ type = "command" }]\n', "hooks.toml:1: hooks.AfterTool: hooks.0.command"],
    [
      '[hooks.AfterTool]\nhooks = [{ type = "plugin", command = "x" }]\n',
      "hooks.toml:1: hooks.AfterTool: hooks.0.type"
    ],
    ["hooks = 5\n", "hooks.toml: hooks must be a table of events"],
    ["[other]\na = 1\n", "hooks.toml: other has no meaning here"]
  ]
  test.each(FAULTS)("%j is told with its place", (text, problem) => {
    const { hooks, problems } = readHooksToml(text, source)
    expect(hooks).toEqual([])
    expect(problems[0]).toStartWith(problem)
  })

  test("a faulty definition does not take the others with it", () => {
    const { hooks, problems } = readHooksToml(
      '[[hooks.AfterTool]]\nhooks = 1\n[[hooks.AfterTool]]\nhooks = [{ type = "command", command = "x" }]\n',
      source
    )
    expect([hooks.length, problems.length]).toEqual([1, 1])
  })
})

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
