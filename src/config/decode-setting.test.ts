import { expect, test } from "bun:test"
import { Option } from "effect"
import { decodeSetting } from "./decode-setting.ts"
import { type SettingKey, settingRow } from "./setting-table.ts"

const decode = (key: SettingKey, written: unknown) => {
  const { value, faults } = decodeSetting(settingRow(key), written)
  return {
    value: Option.getOrUndefined(value),
    faults: faults.map(({ path, message }) => `${path.join(".")}: ${message}`)
  }
}

test.each<[SettingKey, unknown, unknown]>([
  ["general.vimMode", "TRUE", true],
  ["general.vimMode", "false", false],
  ["general.maxAttempts", "12", 12],
  ["model.compressionThreshold", "0.7", 0.7],
  ["model.name", "12", "12"],
  ["tools.shell.pager", "true", "true"],
  ["tools.exclude", "one", ["one"]],
  ["context.fileName", "A.md", ["A.md"]],
  ["context.fileName", ["A.md", "B.md"], ["A.md", "B.md"]],
  ["telemetry", true, { enabled: true }],
  ["telemetry", "false", { enabled: false }],
  ["telemetry", { enabled: "true", outfile: "12" }, { enabled: true, outfile: "12" }],
  ["tools.sandbox", "true", true],
  ["tools.sandbox", "docker", "docker"],
  ["tools.sandbox", { enabled: true, image: "x" }, { enabled: true, image: "x" }],
  ["run.maxTime", 90, "90"],
  ["run.onQuota", "fallback:gemini-2.5-flash", "fallback:gemini-2.5-flash"],
  [
    "mcpServers",
    { a: { command: "x", args: ["8080"], timeout: "5000", trust: "true" } },
    { a: { command: "x", args: ["8080"], timeout: 5000, trust: true } }
  ]
])("%s accepts %j", (key, written, value) => expect(decode(key, written)).toEqual({ value, faults: [] }))

test.each<[SettingKey, unknown, string]>([
  ["general.vimMode", "perhaps", ": expected true or false"],
  ["general.maxAttempts", "abc", ": expected a whole number from 1 on"],
  ["general.maxAttempts", 1.5, ": expected a whole number from 1 on"],
  ["general.defaultApprovalMode", "yolo", ': expected one of "default", "auto_edit", "plan"'],
  ["model.name", 5, ": expected a string"],
  ["model.compressionThreshold", 7, ": expected a number between 0 and 1"],
  ["general.sessionRetention.maxAge", "30 days", ': expected an age such as "12h", "30d", "4w" or "6m"'],
  ["tools.core", "read_file", ": expected a list of strings"],
  ["tools.core", [5], "0: expected a string"],
  [
    "tools.sandbox",
    5,
    ": expected true, false, the name of a sandbox, or { enabled, command, image, allowedPaths, networkAccess }"
  ],
  ["run.maxTime", "soon", ': expected a duration such as "90s", "10m" or a number of seconds'],
  ["mcpServers", [], ": expected an object of MCP servers by name"]
])("%s refuses %j", (key, written, fault) =>
  expect(decode(key, written)).toEqual({ value: undefined, faults: [fault] })
)

test("of collections only the faulty members are lost", () => {
  expect(decode("mcpServers", { good: { url: "http://x" }, bad: { url: 5 }, worse: 7 })).toEqual({
    value: { good: { url: "http://x" } },
    faults: ["bad.url: expected a string", "worse: expected an object that describes an MCP server"]
  })
  const hook = { hooks: [{ type: "command", command: "check" }] }
  expect(decode("hooks.BeforeTool", [hook, { hooks: [{ type: "command" }] }]).value).toEqual([hook])
  expect(decode("hooks.BeforeTool", [{ hooks: [{ type: "command", command: " " }] }]).faults).toEqual([
    "0.hooks.0.command: expected a command"
  ])
  expect(decode("telemetry", { enabled: true, target: "moon" })).toEqual({
    value: { enabled: true },
    faults: ['target: expected one of "local", "gcp"']
  })
})
