// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts under test.
import { describe, expect, test } from "bun:test"
import { Either } from "effect"
import { readArgument } from "./setting-argument.ts"
import { parseSettingPath } from "./setting-path.ts"

const pathOf = (key: string) => Either.getOrThrowWith(parseSettingPath(key), () => new Error(`unknown ${key}`))
const lookup = (name: string) => (name === "N" ? "7" : undefined)
const read = (key: string, text: string, present?: unknown) =>
  readArgument({ path: pathOf(key), text, present, lookup })

test.each<[string, string, unknown]>([
  ["model.name", "gemini-x", "gemini-x"],
  ["model.name", "12", "12"],
  ["model.name", "null", null],
  ["tools.shell.pager", "[less]", "[less]"],
  ["general.vimMode", "true", true],
  ["general.maxAttempts", "7", 7],
  ["model.maxSessionTurns", "-1", -1],
  ["tools.core", "read_file,glob", ["read_file", "glob"]],
  ["tools.core", '["run_shell_command(a,b)"]', ["run_shell_command(a,b)"]],
  ["tools.exclude", "one", ["one"]],
  ["context.fileName", "A.md, B.md", ["A.md", "B.md"]],
  ["general.maxAttempts", "${N}", "${N}"],
  ["telemetry", "true", { enabled: true }],
  ["telemetry.enabled", "false", false],
  ["mcpServers.docs.args", "a,b", ["a", "b"]],
  ["mcpServers.docs", '{"command": "x"}', { command: "x" }],
  ["tools.sandbox", "docker", "docker"]
])("%s %s", (key, text, value) => expect(Either.getOrThrow(read(key, text))).toEqual(value))

test.each<[string, string, string]>([
  ["general.vimMode", "maybe", "expected true or false"],
  ["general.maxAttempts", "${MISSING}", "expected a whole number from 1 on"],
  ["telemetry.target", "moon", 'expected one of "local", "gcp"'],
  ["mcpServers.docs", "x", "expected an object that describes an MCP server"]
])("%s refuses %s", (key, text, complaint) => expect(read(key, text)).toEqual(Either.left(complaint)))

test("mistakes elsewhere in the same object do not matter", () => {
  expect(read("mcpServers.docs.command", "x", { bad: { command: 5 } })).toEqual(Either.right("x"))
})

describe("names", () => {
  test.each<[string, ReadonlyArray<string>]>([
    ["model.nam", ["model.name"]],
    ["pager", ["tools.shell.pager"]],
    ["hooksConfig", ["hooksConfig.enabled", "hooksConfig.disabled", "hooksConfig.notifications"]]
  ])("%s is unknown; near: %j", (key, nearest) =>
    expect(Either.getOrThrow(Either.flip(parseSettingPath(key))).slice(0, nearest.length)).toEqual([...nearest])
  )

  test.each(["model.name.x", "telemetry.__proto__", "mcpServers..x", "constructor", ""])("%j is no place", (key) =>
    expect(Either.isLeft(parseSettingPath(key))).toBe(true)
  )
})
