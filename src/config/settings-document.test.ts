import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { formatIssue } from "./config-error.ts"
import { settingKeys } from "./setting-table.ts"
import { readSettingsText } from "./settings-document.ts"

const read = (text: string) => readSettingsText("user", "f", text)
const entriesOf = (text: string) => Object.fromEntries([...read(text).entries].map(([key, { value }]) => [key, value]))
const findingsOf = (text: string) => read(text).findings.map((finding) => `${finding.severity} ${formatIssue(finding)}`)

describe("syntax", () => {
  test.each<[string, string]>([
    ["comments", '{ // one\n /* two */ "model": {"name": "x"} }'],
    ["trailing commas", '{"model": {"name": "x",},}'],
    ["old line ends", '{\r"model":\r{"name": "x"}}']
  ])("%s are fine", (_, text) => expect(entriesOf(text)).toEqual({ "model.name": "x" }))

  test.each(["", "  \n", "// nothing yet\n"])("%j holds no settings", (text) =>
    expect(read(text)).toMatchObject({ entries: new Map(), findings: [] })
  )

  test.each<[string, string]>([
    ["{", 'error f:1:2: a "}" is missing here'],
    ['{"a": tru}', "error f:1:7: this is not JSON: strings and names stand in double quotes"],
    ['{\n  "a" 1}', 'error f:2:7: a ":" is expected here'],
    ['{\n  "a": 1\n  "b": 2}', 'error f:3:3: a "," is expected here'],
    ['{"a": "x', "error f:1:7: the string has no end"],
    ["[1]", "error f:1:1: the settings must be one JSON object"],
    ['"x"', "error f:1:1: the settings must be one JSON object"]
  ])("%j is named with its place", (text, first) => expect(findingsOf(text)[0]).toBe(first))

  test("endless nesting is no crash", () => {
    expect(findingsOf(`{"ui": ${"[".repeat(2_000_000)}`)[0]).toMatch(/^error f:/)
  })

  test("no text makes it throw", () => {
    const unit = fc.constantFrom(...'{}[]:,"\\/*\n ', "tools", "model", "1", "null")
    fc.assert(fc.property(fc.string({ unit }), (text) => void read(text)))
  })
})

describe("names", () => {
  test("unknown ones are reported with the nearest known one", () => {
    expect(findingsOf('{\n  "general": { "maxAttempt": 3 },\n  "pager": "x",\n  "zzzzzzzz": 1\n}')).toEqual([
      "warning f:2:16: general.maxAttempt: unknown setting; ignored (did you mean general.maxAttempts?)",
      "warning f:3:3: pager: unknown setting; ignored (did you mean tools.shell.pager?)",
      "warning f:4:3: zzzzzzzz: unknown setting; ignored"
    ])
  })

  test("settings of the full-screen program, and old switches inside hooks, are silent", () => {
    expect(findingsOf('{"ui": {"theme": "x"}, "hooks": {"enabled": true, "disabled": []}}')).toEqual([])
  })

  test("repeated: the last one counts", () => {
    expect(entriesOf('{"model": {"name": "a"}, "model": {"name": "b"}}')).toEqual({ "model.name": "b" })
    expect(findingsOf('{"model": {"name": "a", "name": "b"}}')).toEqual([
      "warning f:1:25: model.name: is set more than once; the last one counts"
    ])
  })

  test("those that could reach a prototype are left out, at every depth", () => {
    const text = '{"__proto__": {"model": {}}, "mcpServers": {"__proto__": {"command": "x"}, "a": {"constructor": 1}}}'
    expect(entriesOf(text)).toEqual({ mcpServers: { a: {} } })
    expect(findingsOf(text)).toEqual(["warning f:1:2: __proto__: this name is not allowed; ignored"])
  })

  test("admin.* is not taken from files", () => {
    expect(entriesOf('{"admin": {"secureModeEnabled": true}}')).toEqual({})
    expect(findingsOf('{"admin": {"secureModeEnabled": true}}')).toHaveLength(1)
  })

  test("a group that is no object: an error when guards are inside", () => {
    expect(findingsOf('{"ui": 5, "security": 5, "tools": "x", "model": null}')).toEqual([
      "warning f:1:8: ui: expected an object",
      "error f:1:23: security: expected an object",
      "error f:1:35: tools: expected an object"
    ])
  })

  test("a file full of strangers stays a short message", () => {
    const strangers = Array.from({ length: 50_000 }, (_, index) => `"\\u001bunknown${index}": 1`).join(",")
    const findings = findingsOf(`{${strangers}}`)
    expect(findings).toHaveLength(21)
    expect(findings.at(-1)).toContain("49980 more settings")
    expect(findings.join("")).not.toContain("\u001b")
  })
})

describe("older names", () => {
  test.each<[string, Record<string, unknown>]>([
    ['{"model": "gemini-x"}', { "model.name": "gemini-x" }],
    ['{"contextFileName": "A.md", "autoAccept": true}', { "context.fileName": "A.md", "tools.autoAccept": true }],
    ['{"disableAutoUpdate": true}', { "general.enableAutoUpdate": false }],
    ['{"general": {"disableUpdateNag": "true"}}', { "general.enableAutoUpdateNotification": false }],
    ['{"checkpointing": {"enabled": true}}', { "general.checkpointing.enabled": true }],
    [
      '{"fileFiltering": {"respectGitIgnore": false, "disableFuzzySearch": true}}',
      { "context.fileFiltering.respectGitIgnore": false, "context.fileFiltering.enableFuzzySearch": false }
    ],
    ['{"accessibility": {"disableLoadingPhrases": true}}', { "ui.accessibility.enableLoadingPhrases": false }],
    ['{"approvalMode": "auto_edit"}', { "general.defaultApprovalMode": "auto_edit" }],
    ['{"experimental": {"plan": false}}', { "general.plan.enabled": false }],
    [
      '{"folderTrust": false, "sandbox": "docker"}',
      { "security.folderTrust.enabled": false, "tools.sandbox": "docker" }
    ],
    [
      '{"experimental": {"codebaseInvestigatorSettings": {"enabled": true, "maxNumTurns": 5, "model": "m", "thinkingBudget": 9}}}',
      {
        "agents.overrides": {
          codebase_investigator: {
            enabled: true,
            modelConfig: { model: "m", generateContentConfig: { thinkingConfig: { thinkingBudget: 9 } } },
            runConfig: { maxTurns: 5 }
          }
        }
      }
    ],
    [
      '{"agents": {"overrides": {"cli_help": {"runConfig": {}}, "x": {}}}, "experimental": {"cliHelpAgentSettings": {"enabled": false}}}',
      {
        "agents.overrides": { cli_help: { enabled: false, runConfig: {} }, x: {} }
      }
    ]
  ])("%s", (text, entries) => expect(entriesOf(text)).toEqual(entries))

  test.each(['{"coreTools": ["a"], "tools": {"core": ["b"]}}', '{"tools": {"core": ["b"]}, "coreTools": ["a"]}'])(
    "the present name beats the older one: %s",
    (text) => expect(entriesOf(text)).toEqual({ "tools.core": ["b"] })
  )

  test("they are a note, not a warning", () => {
    expect(findingsOf('{"vimMode": true}')).toEqual(["note f:1:2: vimMode: is an older name of general.vimMode"])
  })
})

test("every key of the table is found where it stands", () => {
  for (const key of settingKeys()) {
    if (key.startsWith("admin.")) continue
    const text = key.split(".").reduceRight((inner, name) => `{\n${JSON.stringify(name)}: ${inner}}`, "null")
    const entry = read(text).entries.get(key)
    expect(entry?.path).toEqual(key.split("."))
    expect(entry?.place([]).line).toBe(key.split(".").length + 1)
  }
})
