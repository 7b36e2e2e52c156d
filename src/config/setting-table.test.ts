import { describe, expect, test } from "bun:test"
import { decodeSetting } from "./decode-setting.ts"
import { isGuarded, isSettingGroup, isSettingKey, settingKeys, settingRow } from "./setting-table.ts"
import { makeSettings } from "./settings.ts"

const keys = settingKeys()

describe("every row", () => {
  test.each([...keys])("%s", (key) => {
    const row = settingRow(key)
    expect(row.description).toMatch(/^\S.*\S$/)
    expect(row.description.length).toBeLessThan(100)
    if (row.default !== undefined) expect(decodeSetting(row, row.default).faults).toEqual([])
  })

  test("no key is a group as well", () => expect(keys.filter(isSettingGroup)).toEqual([]))
})

test("names of Object are no settings", () => {
  expect(["constructor", "toString", "__proto__"].filter(isSettingKey)).toEqual([])
})

test("what guards is guarded", () => {
  const guarded = [
    "security.folderTrust.enabled",
    "mcp.allowed",
    "tools.core",
    "tools.exclude",
    "tools.allowed",
    "policyPaths",
    "adminPolicyPaths"
  ]
  expect(guarded.filter((key) => !isGuarded(key))).toEqual([])
  expect(["tools.shell.pager", "mcpServers", "model.name"].filter(isGuarded)).toEqual([])
})

test("the static types follow the table", () => {
  const settings = makeSettings({ values: new Map(), sources: new Map() }, [])
  const pager: string = settings.get("tools.shell.pager")
  const model: string | undefined = settings.get("model.name")
  const mode: "default" | "auto_edit" | "plan" = settings.get("general.defaultApprovalMode")
  const hooks: ReadonlyArray<{ readonly hooks: ReadonlyArray<{ readonly command: string }> }> =
    settings.get("hooks.BeforeTool")
  expect([pager, model, mode, hooks]).toEqual(["cat", undefined, "default", []])
})
