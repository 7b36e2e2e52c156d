import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { formatIssue } from "./config-error.ts"
import { resolveSettings } from "./resolve-settings.ts"
import { type SettingKey, settingRow } from "./setting-table.ts"
import { makeSettings, type Scope } from "./settings.ts"
import { readSettingsText } from "./settings-document.ts"

const SCOPES: ReadonlyArray<Scope> = ["system-defaults", "user", "workspace", "system"]

const nest = (key: SettingKey, value: unknown) =>
  key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)

type Files = Partial<Record<Scope, unknown>>

const resolve = (files: Files, variables: Record<string, string> = {}) => {
  const documents = SCOPES.filter((scope) => scope in files).map((scope) =>
    readSettingsText(scope, scope, JSON.stringify(files[scope]))
  )
  const resolution = resolveSettings(documents, () => (name) => variables[name], {
    grounds: { mayJoin: (folder) => !folder.startsWith("/") }
  })
  return { settings: makeSettings(resolution, []), findings: resolution.findings.map(formatIssue), resolution }
}

describe("who wins", () => {
  test("the strongest scope that sets the key", () => {
    const files = {
      "system-defaults": { model: { name: "d" } },
      user: { model: { name: "u" } },
      system: { model: { name: "s" } }
    }
    expect(resolve(files).settings.get("model.name")).toBe("s")
    expect(resolve({ ...files, system: {} }).settings.get("model.name")).toBe("u")
    expect(resolve({}).settings.get("general.maxAttempts")).toBe(10)
  })

  test("a bad value leaves the word to the next weaker scope", () => {
    const { settings, findings } = resolve({
      user: { general: { maxAttempts: 3 } },
      workspace: { general: { maxAttempts: "abc" } }
    })
    expect(settings.get("general.maxAttempts")).toBe(3)
    expect(findings).toEqual(["workspace:1:27: general.maxAttempts: expected a whole number from 1 on; ignored"])
  })

  test("a bad guard is an error", () => {
    const { resolution } = resolve({ user: { security: { disableYoloMode: "maybe" }, mcp: { allowed: "x" } } })
    expect(resolution.findings.map(({ severity, key }) => [severity, key])).toEqual([
      ["error", "security.disableYoloMode"],
      ["error", "mcp.allowed"]
    ])
  })

  test("null takes everything weaker back", () => {
    const files = {
      user: { model: { name: "u" }, tools: { exclude: ["a"] } },
      system: { model: { name: null }, tools: { exclude: null } }
    }
    const { settings } = resolve(files)
    expect(settings.get("model.name")).toBeUndefined()
    expect(settings.get("tools.exclude")).toBeUndefined()
  })
})

describe("joining", () => {
  test.each<[SettingKey, unknown, unknown, unknown]>([
    ["mcp.allowed", ["a", "b"], ["b", "c"], ["b"]],
    ["mcp.excluded", ["a"], ["b"], ["a", "b"]],
    ["tools.exclude", ["a"], ["a", "b"], ["a", "b"]],
    ["tools.core", ["a"], ["b"], ["b"]],
    ["context.includeDirectories", ["x"], ["x"], ["x", "x"]],
    ["advanced.excludedEnvVars", ["A"], ["B"], ["DEBUG", "DEBUG_MODE", "A", "B"]],
    ["mcpServers", { a: { command: "1", args: [] }, b: {} }, { a: { url: "u" } }, { a: { url: "u" }, b: {} }],
    ["telemetry", true, { target: "gcp" }, { enabled: true, target: "gcp" }],
    ["hooks.AfterTool", [{ hooks: [] }], [{ hooks: [] }], [{ hooks: [] }, { hooks: [] }]]
  ])("%s %j %j", (key, user, system, expected) => {
    const { settings, findings } = resolve({ user: nest(key, user), system: nest(key, system) })
    expect(findings).toEqual([])
    const value: unknown = settings.get(key)
    expect(value).toEqual(expected)
  })
})

/** `undefined`: the user says nothing. */
describe("a project", () => {
  const rows: ReadonlyArray<[SettingKey, user: unknown, project: unknown, expected: unknown, refused?: string]> = [
    ["security.disableYoloMode", true, false, true, "false"],
    ["security.disableYoloMode", undefined, true, true],
    ["security.disableYoloMode", true, null, true, "null"],
    ["security.disableYoloMode", undefined, false, false],
    ["mcp.autoAllowInHeadless", undefined, true, false, "true"],
    ["mcp.autoAllowInHeadless", true, false, false],
    ["tools.exclude", ["a"], ["b"], ["a", "b"]],
    ["tools.exclude", ["a"], null, ["a"], "null"],
    ["tools.confirmationRequired", ["a"], [], ["a"]],
    ["security.environmentVariableRedaction.blocked", ["A"], ["B"], ["A", "B"]],
    ["tools.allowed", undefined, ["run_shell_command"], undefined, '["run_shell_command"]'],
    ["tools.allowed", ["a", "run_shell_command"], ["run_shell_command(git)"], ["run_shell_command(git)"]],
    ["tools.allowed", ["run_shell_command(git)"], ["run_shell_command"], [], '["run_shell_command"]'],
    ["security.environmentVariableRedaction.allowed", ["A"], ["A", "B"], ["A"], '["B"]'],
    ["tools.core", undefined, ["read_file"], ["read_file"]],
    ["tools.core", ["read_file"], ["read_file", "run_shell_command"], ["read_file"], '["run_shell_command"]'],
    ["mcp.allowed", ["a"], ["A", "b"], ["a"], '["b"]'],
    ["run.maxTurns", undefined, 5, 5],
    ["run.maxTurns", 3, 5, 3, "5"],
    ["run.maxTime", "1m", "90s", "1m", '"90s"'],
    ["run.maxTime", "1m", "30s", "30s"],
    ["model.maxSessionTurns", 5, -1, 5, "-1"],
    ["general.defaultApprovalMode", undefined, "auto_edit", "default", '"auto_edit"'],
    ["general.defaultApprovalMode", undefined, "plan", "plan"],
    ["policyPaths", ["mine"], ["theirs"], ["mine"], '["theirs"]'],
    ["hooksConfig.enabled", undefined, false, true, "false"],
    ["hooksConfig.disabled", undefined, ["guard"], [], '["guard"]'],
    ["telemetry", { enabled: true }, { otlpEndpoint: "http://x" }, { enabled: true }, '{"otlpEndpoint":"http://x"}'],
    ["telemetry", { enabled: true }, { logPrompts: false }, { enabled: true, logPrompts: false }],
    ["telemetry", undefined, true, {}, '{"enabled":true}'],
    ["tools.sandbox", "docker", false, "docker", "false"],
    ["tools.sandbox", undefined, true, true],
    ["context.includeDirectories", ["mine"], ["in", "/etc"], ["mine", "in"], '["/etc"]'],
    ["model.name", "u", "w", "w"]
  ]
  test.each(rows.map((row) => [`${row[0]} ${JSON.stringify(row.slice(1, 3))}`, row] as const))("%s", (_, row) => {
    const [key, user, project, expected, refused] = row
    const { settings, findings } = resolve({
      ...(user === undefined ? {} : { user: nest(key, user) }),
      workspace: nest(key, project)
    })
    const value: unknown = settings.get(key)
    expect(value).toEqual(expected)
    expect(findings.map((line) => line.replace(/^.*?: .*?: (.*) does not count: a project may .+$/, "$1"))).toEqual(
      refused === undefined ? [] : [refused]
    )
    expect(settings.explain(key).sources.at(-1)?.refused).toBe(refused)
  })

  test("is told what it may do where its word does not count", () => {
    const { settings, findings } = resolve({ workspace: { tools: { allowed: ["x"] } } })
    expect(findings).toEqual([
      'workspace:1:21: tools.allowed: ["x"] does not count: a project may only take away from it'
    ])
    expect(settings.explain("tools.allowed")).toMatchObject({ projectMay: "only take away from it" })
  })

  test("has no say over the administrator", () => {
    const { settings } = resolve({ workspace: { run: { maxTurns: 2 } }, system: { run: { maxTurns: 9 } } })
    expect(settings.get("run.maxTurns")).toBe(9)
  })
})

test("variables are expanded before the check", () => {
  const { settings } = resolve({ user: { general: { maxAttempts: "$N" }, model: { name: "$MISSING" } } }, { N: "4" })
  expect(settings.get("general.maxAttempts")).toBe(4)
  expect(settings.get("model.name")).toBe("$MISSING")
})

test("explain lists every source, weak to strong, and marks what counts", () => {
  const { settings } = resolve({ user: { model: { name: "u" } }, system: { model: { name: "s" } } })
  expect(settings.explain("model.name")).toEqual({
    key: "model.name",
    description: settingRow("model.name").description,
    value: "s",
    default: undefined,
    projectMay: undefined,
    sources: [
      { scope: "user", file: "user", line: 1, value: "u", used: false },
      { scope: "system", file: "system", line: 1, value: "s", used: true }
    ]
  })
})

describe("for all files", () => {
  const names = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 })
  const file = fc.record(
    {
      model: fc.record({ name: fc.oneof(names, fc.string(), fc.constant(null)) }),
      tools: fc.record(
        { exclude: names, shell: fc.record({ pager: fc.oneof(fc.string(), fc.integer()) }) },
        { requiredKeys: [] }
      ),
      mcp: fc.record({ allowed: names, excluded: names }, { requiredKeys: [] })
    },
    { requiredKeys: [] }
  )
  const files = fc.record({ user: file, workspace: file, system: file }, { requiredKeys: [] })

  test("a replaced value is that of its strongest used source", () => {
    fc.assert(
      fc.property(files, fc.constantFrom<SettingKey>("model.name", "tools.shell.pager"), (given, key) => {
        const { settings, resolution } = resolve(given)
        const winner = resolution.sources.get(key)?.findLast(({ used }) => used)
        const fallback = settingRow(key).default
        const value: unknown = settings.get(key)
        expect(value).toEqual(winner === undefined ? fallback : (winner.value ?? fallback))
      })
    )
  })

  test("a source that is named has set the value", () => {
    fc.assert(
      fc.property(files, (given) => {
        const { settings } = resolve(given)
        const excluded = settings.explain("tools.exclude")
        for (const name of settings.get("tools.exclude") ?? []) {
          expect(excluded.sources.some(({ used, value }) => used && Array.isArray(value) && value.includes(name))).toBe(
            true
          )
        }
        for (const name of settings.get("mcp.allowed") ?? []) {
          const { sources } = settings.explain("mcp.allowed")
          expect(sources.every(({ value }) => Array.isArray(value) && value.includes(name))).toBe(true)
        }
      })
    )
  })
})
