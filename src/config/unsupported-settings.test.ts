import { expect, test } from "bun:test"
import type { SettingKey } from "./setting-table.ts"
import { makeSettings } from "./settings.ts"
import { unsupportedNotices, whyIneffective } from "./unsupported-settings.ts"

const settingsWith = (values: Partial<Record<SettingKey, unknown>>) => {
  const keys = Object.keys(values) as Array<SettingKey>
  return makeSettings(
    {
      values: new Map(keys.map((key) => [key, values[key]])),
      sources: new Map(
        keys.map((key) => [key, [{ scope: "user", file: "/s.json", line: 1, value: values[key], used: true }]])
      )
    },
    []
  )
}

test("one line for each reason", () => {
  const settings = settingsWith({
    "agents.browser.headless": true,
    "agents.browser.visualModel": "x",
    "general.logRagSnippets": true,
    "model.name": "x"
  })
  expect(unsupportedNotices(settings, [{ name: "the agent", because: "there is no browser agent" }])).toEqual([
    "[WARNING] the agent, agents.browser.headless, agents.browser.visualModel: there is no browser agent, so this has no effect.",
    "[WARNING] general.logRagSnippets: no snippets are retrieved, so this has no effect."
  ])
})

test("nothing is said where nothing is set, or what happens anyway is asked for", () => {
  expect(unsupportedNotices(settingsWith({}))).toEqual([])
  const asked = {
    "general.enableAutoUpdate": false,
    "agents.browser.headless": false
  }
  expect(unsupportedNotices(settingsWith(asked))).toEqual([])
  expect(whyIneffective("agents.browser.allowedDomains", ["github.com", "*.google.com", "localhost"])).toBeUndefined()
  expect(whyIneffective("agents.browser.allowedDomains", ["github.com"])).toBe("there is no browser agent")
})
