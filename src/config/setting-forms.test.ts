/** Forms of settings that were written for other versions of the program, and what is said of keys that nobody reads. */
import { describe, expect, test } from "bun:test"
import { COVERED } from "../system/environment-redaction.ts"
import { formatIssue } from "./config-error.ts"
import { resolveSettings } from "./resolve-settings.ts"
import { isSettingKey, settingKeys, settingRow } from "./setting-table.ts"
import { isSet, shownSetting } from "./setting-variables.ts"
import { makeSettings } from "./settings.ts"
import { readSettingsText } from "./settings-document.ts"
import { explanationDocument, explanationLines, listLine } from "./settings-report.ts"

const read = (value: unknown) => {
  const document = readSettingsText("user", "/s.json", typeof value === "string" ? value : JSON.stringify(value))
  const resolution = resolveSettings([document], () => () => undefined)
  return { settings: makeSettings(resolution, []), findings: resolution.findings }
}
const warnings = (value: unknown) =>
  read(value)
    .findings.filter(({ severity }) => severity !== "note")
    .map(formatIssue)

describe("forms of other versions", () => {
  test.each<[unknown, string, unknown]>([
    [{ apiKey: "k" }, "security.auth.apiKey", "k"],
    [{ autoApproveTools: true }, "tools.autoAccept", true],
    [
      {
        extensions: [
          { name: "a", enabled: false },
          { name: "b", enabled: true }
        ]
      },
      "extensions.disabled",
      ["a"]
    ],
    [{ extensions: { disabled: ["c"] } }, "extensions.disabled", ["c"]],
    [{ mcpServers: [{ name: "a", command: "run" }] }, "mcpServers", { a: { command: "run" } }],
    [{ approvalMode: "autoEdit" }, "general.defaultApprovalMode", "auto_edit"],
    [{ fileFiltering: { maxFileCount: 7 } }, "context.fileFiltering.maxFileCount", 7],
    [{ telemetry: false }, "telemetry", { enabled: false }],
    [{ sandbox: { command: "docker", image: "x" } }, "tools.sandbox", { command: "docker", image: "x" }]
  ])("%j", (written, key, value) => {
    expect(warnings(written)).toEqual([])
    if (!isSettingKey(key)) throw new Error(key)
    expect(read(written).settings.explain(key).value).toEqual(value)
  })
})

describe("keys inside settings", () => {
  test.each<[unknown, ReadonlyArray<string>]>([
    [
      { hooks: { BeforeTool: [{ macher: "x", hooks: [{ type: "command", command: "c", timout: 5 }] }] } },
      [
        "BeforeTool.0.macher: unknown key (did you mean matcher?)",
        "hooks.0.timout: unknown key (did you mean timeout?)"
      ]
    ],
    [{ telemetry: { enabeld: true } }, ["telemetry.enabeld: unknown key (did you mean enabled?)"]],
    [{ tools: { sandbox: { imge: "x" } } }, ["tools.sandbox.imge: unknown key (did you mean image?)"]],
    [{ agents: { overrides: { a: { runConfig: { maxturns: 2 } } } } }, ["runConfig.maxturns: unknown key"]],
    [{ run: { prices: { m: { input: 1, output: 2, longg: {} } } } }, ["run.prices.m.longg: unknown key"]],
    // Their inside belongs to others.
    [{ mcpServers: { a: { command: "x", x: 1 } } }, []],
    [{ modelConfigs: { aliases: { a: { modelConfig: { generateContentConfig: { anything: 1 } } } } } }, []]
  ])("%j", (written, expected) => {
    const told = warnings(written)
    expect(told).toHaveLength(expected.length)
    for (const [index, text] of expected.entries()) expect(told[index]).toContain(text)
  })

  test("a misspelt key costs only itself", () => {
    const hook = { type: "command", command: "c" } as const
    expect(
      read({ hooks: { BeforeTool: [{ hooks: [{ ...hook, timout: 5 }] }] } }).settings.get("hooks.BeforeTool")
    ).toEqual([{ hooks: [hook] }])
  })
})

describe("variables", () => {
  const shown = (key: "model.name" | "run.maxTurns" | "telemetry", written: unknown, env: Record<string, string>) =>
    shownSetting(read(written).settings.explain(key), (name) => env[name])

  test("one that beats a setting is what the setting is", () => {
    const one = shown("model.name", { model: { name: "a" } }, { GEMINI_MODEL: "b" })
    expect(listLine(one)).toBe('model.name = "b"  (variable GEMINI_MODEL)')
    expect(explanationLines(one).join("\n")).toContain("* variable GEMINI_MODEL: b")
    expect(explanationLines(one).join("\n")).toContain('    user: "a"')
    expect(shown("run.maxTurns", {}, { GEMINI_MAX_TURNS: "7" }).value).toBe(7)
    expect(isSet(shown("run.maxTurns", {}, { GEMINI_MAX_TURNS: " " }))).toBe(false)
  })

  test("one that says a part leaves the rest", () => {
    const one = shown("telemetry", { telemetry: { enabled: true } }, { GEMINI_TELEMETRY_TARGET: "gcp" })
    expect(one.value).toEqual({ enabled: true })
    expect(listLine(one)).toContain("user /s.json:1, variable GEMINI_TELEMETRY_TARGET")
  })

  test("a secret is shown nowhere", () => {
    for (const key of settingKeys().filter((name) => settingRow(name).isSecret === true)) {
      const value = "AIzaSecretSecret"
      const group = key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
      const one = shownSetting(read(group).settings.explain(key), () => value)
      const text = [listLine(one), ...explanationLines(one), JSON.stringify(explanationDocument(one))].join("\n")
      expect(text).not.toContain(value)
      expect(text).toContain(COVERED)
    }
  })
})
