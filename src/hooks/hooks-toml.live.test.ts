import { describe, expect, test } from "bun:test"
import { readHooksToml } from "./hooks-toml.live.ts"

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
