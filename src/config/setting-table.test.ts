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

/**
 * A new setting is here only if a project that is trusted may set it as it likes, because it decides nothing about what
 * runs, what is allowed, what is sent where, or what is kept. Everything else has a direction.
 */
const FREE: ReadonlyArray<RegExp> = [
  /^(?:ui|modelConfigs|contextManagement|output|ide)\./,
  /^\$schema$|^useWriteTodos$/,
  // The servers in it are confirmed like those of the project, and policy judges every call of its tools.
  /^agents\.overrides$/,
  /^agents\.browser\.(?:headless|visualModel)$/,
  /^billing\.vertexAi\./,
  /^general\.(?:preferredEditor|openEditorInNewWindow|enable(?:AutoUpdate$|Notifications)|notificationMethod)/,
  /^general\.(?:plan\.|vimMode|retryFetchErrors|maxAttempts|topicUpdateNarration|logRagSnippets)/,
  /^model\.(?:name|summarizeToolOutput|compressionThreshold|chatCompression|skipNextSpeakerCheck)$/,
  /^context\.(?!includeDirectories$)/,
  /^tools\.(?:useRipgrep|truncateToolOutputThreshold|disableLLMCorrection)$/,
  /^tools\.shell\.(?:enableInteractiveShell|backgroundCompletion|inactivityTimeout|enableShellOutputEfficiency)/,
  /^mcp\.startTimeout$/,
  /^run\.(?:stdinTimeout|onQuota|classifyPrompts|thinking|tier)$/,
  // One of the ways to sign in that the user has; the only one that may be used is not the project's to say.
  /^security\.auth\.selectedType$/,
  /^advanced\.dnsResolutionOrder$/,
  /^experimental\.(?:gemma|extension\w+|useOSC52Copy|taskTracker|modelSteering|directWebFetch)$/,
  /^experimental\.(?:dynamicModelConfiguration|gemmaModelRouter\.classifier\.model|autoMemory|jitContext)$/,
  /^experimental\.(?:generalistProfile|powerUserProfile|contextManagement|topicUpdateNarration)$/
]

describe("what a project may say", () => {
  const isFree = (key: string) => FREE.some((pattern) => pattern.test(key))
  const real = keys.filter((key) => settingRow(key).need !== "tui")

  test("every setting has a direction, or is known to need none", () => {
    expect(real.filter((key) => settingRow(key).tightens === undefined && !isFree(key))).toEqual([])
    expect(real.filter((key) => settingRow(key).tightens !== undefined && isFree(key))).toEqual([])
  })
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
