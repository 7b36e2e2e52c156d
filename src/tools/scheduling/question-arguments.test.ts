import { describe, expect, test } from "bun:test"
import { builtinTools } from "../builtin-tools.ts"
import { builtinCatalogue } from "../generated/declarations.ts"
import { argumentsBeside, LEFT_OUT } from "./question-arguments.ts"

const info = { type: "info", title: "", prompt: "", urls: [] } as const

/** Of tools of higher rooms, and of those that are declared by what is installed. */
const ELSEWHERE = new Set(["invoke_agent", "activate_skill"])

const declaredBy = (name: string): ReadonlyArray<string> =>
  builtinCatalogue
    .filter((tool) => tool.name === name)
    .flatMap(({ parameters }) => Object.keys(Object(parameters.properties)))

/** Set by this program alone, after a person changed something. */
const INTERNAL = ["modified_by_user", "ai_proposed_content", "modified_content", "expected_replacements"]

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
