import { describe, expect, test } from "bun:test"
import type { AgentOrigin, FoundAgent, LocalAgent } from "./agent.ts"
import { builtinDefinitions } from "./load-agents.ts"
import { register } from "./registration.ts"

const found = (name: string, origin: AgentOrigin, file?: string): FoundAgent => ({
  agent: { ...local, name },
  origin,
  fingerprint: name,
  ...(file === undefined ? {} : { file })
})

const local: LocalAgent = {
  kind: "local",
  name: "a",
  description: "d",
  instruction: { _tag: "own", text: "t" },
  mcpServers: { own: { command: "x" } },
  model: { name: "inherit", modernName: "newer", config: { temperature: 1 } },
  limits: { maxTurns: 30, maxMinutes: 10 },
  input: "query"
}

describe("registration", () => {
  test("the first of a name wins, and the others are named", () => {
    const { agents, warnings } = register(
      [
        found("a", "built-in"),
        found("a", "project", "/p/a.md"),
        found("b", "project", "/p/b.md"),
        found("b", "user", "/u/b.md"),
        { ...found("b", "extension", "/e/b.md"), extension: "ext" }
      ],
      {}
    )
    expect(agents.map(({ agent, isEnabled, origin }) => [agent.name, origin, isEnabled])).toEqual([
      ["a", "built-in", true],
      ["b", "project", true]
    ])
    expect(warnings).toEqual([
      "agent a of /p/a.md is not used: the program itself has one of that name",
      "agent b of /u/b.md is not used: /p/b.md has one of that name",
      "agent b of the extension ext is not used: /p/b.md has one of that name"
    ])
  })

  test("what the user changed counts", () => {
    const { agents } = register([found("a", "user")], {
      a: {
        enabled: false,
        modelConfig: { model: "mine", generateContentConfig: { topK: 3 } },
        runConfig: { maxTurns: 2, maxTimeMinutes: 0.5 },
        tools: ["glob"],
        mcpServers: { more: { url: "https://x" } }
      },
      constructor: { enabled: false }
    })
    expect(agents).toMatchObject([
      {
        isEnabled: false,
        agent: {
          model: { name: "mine", config: { temperature: 1, topK: 3 } },
          limits: { maxTurns: 2, maxMinutes: 0.5 },
          tools: ["glob"],
          mcpServers: { own: { command: "x" }, more: { url: "https://x" } }
        }
      }
    ])
    expect(agents[0]?.agent).not.toHaveProperty("model.modernName")
  })

  test("a name like a property of every object is not taken for a change", () => {
    expect(register([found("constructor", "user")], {}).agents).toMatchObject([{ isEnabled: true }])
  })
})

test("the built-in agents have the limits, tools and forms that are documented", () => {
  const facts = builtinDefinitions().map(({ input, limits, name, output, tools }) => [
    name,
    input,
    limits.maxTurns,
    limits.maxMinutes,
    tools ?? "all",
    output?.name
  ])
  expect(facts).toEqual([
    ["codebase_investigator", "objective", 50, 10, ["list_directory", "read_file", "glob", "grep_search"], "report"],
    ["cli_help", "question", 10, 3, ["get_internal_docs"], "report"],
    ["generalist", "request", 20, 10, "all", "result"]
  ])
})
