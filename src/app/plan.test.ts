import { describe, expect, test } from "bun:test"
import { Duration, Either } from "effect"
import { decodeRunOptions } from "../cli/run-options.ts"
import type { EnvironmentView } from "../config/environment.ts"
import type { SettingKey } from "../config/setting-table.ts"
import { makeSettings } from "../config/settings.ts"
import { type PlanInput, planRun } from "./plan.ts"

const environment = (variables: Record<string, string>): EnvironmentView => ({
  variables,
  get: (name) => variables[name],
  cwd: "/w",
  home: "/h",
  platform: "linux",
  dotenv: undefined
})

interface Given {
  readonly flags?: Record<string, string | boolean>
  readonly env?: Record<string, string>
  readonly settings?: Partial<Record<SettingKey, unknown>>
  readonly trust?: PlanInput["trust"]
  readonly isForbiddenFolder?: boolean
}

const plan = (given: Given) =>
  planRun({
    options: Either.getOrThrow(decodeRunOptions({ options: given.flags ?? {}, words: [] })),
    environment: environment(given.env ?? {}),
    settings: makeSettings(
      { values: new Map(Object.entries(given.settings ?? {})) as Map<SettingKey, unknown>, sources: new Map() },
      []
    ),
    trust: given.trust ?? "trusted",
    isForbiddenFolder: given.isForbiddenFolder ?? false
  })

const planned = (given: Given) => Either.getOrThrow(plan(given))
const refused = (given: Given) => Either.getOrThrow(Either.flip(plan(given)))

describe("model", () => {
  test.each([
    [{}, "auto"],
    [{ settings: { "model.name": "a" } }, "a"],
    [{ settings: { "model.name": "a" }, env: { GEMINI_MODEL: "b" } }, "b"],
    [{ env: { GEMINI_MODEL: " " } }, "auto"],
    [{ env: { GEMINI_MODEL: "b" }, flags: { model: "c" } }, "c"]
  ])("%j is %s", (given, model) => expect(planned(given).model).toBe(model))
})

describe("approval mode", () => {
  test("yolo is announced", () => {
    expect(planned({ flags: { yolo: true } })).toMatchObject({ approvalMode: "yolo" })
    expect(planned({ flags: { yolo: true } }).notices).toHaveLength(1)
  })
  test("yolo can be forbidden", () => {
    expect(refused({ flags: { yolo: true }, settings: { "security.disableYoloMode": true } })).toMatchObject({
      _tag: "ForbiddenMode"
    })
  })
  test("plan mode that is switched off falls back to default and says so", () => {
    const result = planned({ flags: { approvalMode: "plan" }, settings: { "general.plan.enabled": false } })
    expect(result.approvalMode).toBe("default")
    expect(result.notices[0]).toContain("general.plan.enabled")
  })
  test("a mode of the settings does not apply in an untrusted folder", () => {
    const result = planned({ settings: { "general.defaultApprovalMode": "auto_edit" }, trust: "untrusted" })
    expect(result.approvalMode).toBe("default")
  })
  test("plan asked for explicitly is honoured without trust", () => {
    expect(planned({ flags: { approvalMode: "plan" }, trust: "untrusted" }).approvalMode).toBe("plan")
  })
})

describe("trust", () => {
  test("an untrusted folder is a mode", () => {
    expect(planned({ trust: "untrusted" }).trust).toBe("untrusted")
  })
  test.each(["yolo", "auto_edit"])("%s needs trust", (mode) => {
    expect(refused({ flags: { approvalMode: mode }, trust: "untrusted" })).toMatchObject({ _tag: "UntrustedFolder" })
  })
  test("a folder that the user distrusts is refused", () => {
    expect(refused({ trust: "untrusted", isForbiddenFolder: true })).toMatchObject({ _tag: "UntrustedFolder" })
  })
})

describe("sandbox", () => {
  test.each<[Given, string | undefined]>([
    [{ flags: { sandbox: true } }, "--sandbox"],
    [{ env: { GEMINI_SANDBOX: "docker" } }, "GEMINI_SANDBOX"],
    [{ settings: { "tools.sandbox": { enabled: true } } }, "the setting tools.sandbox"],
    [{ settings: { "tools.sandbox": "podman" } }, "the setting tools.sandbox"],
    [{ env: { GEMINI_SANDBOX: "false" }, flags: { sandbox: true } }, "--sandbox"],
    [{ settings: { "security.toolSandboxing": true } }, "the setting security.toolSandboxing"],
    [{ flags: { sandbox: false }, settings: { "tools.sandbox": true } }, undefined],
    [{ env: { SANDBOX: "inside" }, flags: { sandbox: true } }, undefined],
    [{ settings: { "tools.sandbox": { enabled: false } } }, undefined]
  ])("%j asks for one by %s", (given, source) => {
    expect(Either.getOrThrow(plan(given)).sandbox?.requestedBy).toBe(source)
  })
  test("a name that is none is refused", () => {
    expect(refused({ flags: { sandbox: "moat" } })).toMatchObject({ _tag: "SandboxUnavailable" })
  })
  test("yolo without one says so, and is refused where the settings want it", () => {
    const yolo = { flags: { approvalMode: "yolo" } }
    const notices = (given: Given) => Either.getOrThrow(plan(given)).notices.join("\n")
    expect(notices(yolo)).toContain("no sandbox stands around them")
    expect(notices({ flags: { ...yolo.flags, sandbox: true } })).not.toContain("no sandbox")
    expect(notices({ ...yolo, env: { SANDBOX: "inside" } })).not.toContain("no sandbox")
    const settings = { "security.yoloNeedsSandbox": true }
    expect(refused({ ...yolo, settings })).toMatchObject({ _tag: "SandboxUnavailable" })
    expect(Either.isRight(plan({ flags: { ...yolo.flags, sandbox: true }, settings }))).toBe(true)
  })
})

describe("limits", () => {
  test.each<[Given, unknown]>([
    [{}, undefined],
    [{ flags: { maxTurns: "3" } }, { value: 3, source: "--max-turns" }],
    [
      { env: { GEMINI_MAX_TURNS: "4" }, settings: { "run.maxTurns": 9 } },
      { value: 4, source: "GEMINI_MAX_TURNS" }
    ],
    [{ settings: { "model.maxSessionTurns": 0 } }, { value: 0, source: "model.maxSessionTurns" }],
    [{ settings: { "model.maxSessionTurns": -1 } }, undefined],
    [
      { flags: { maxTurns: "9" }, settings: { "model.maxSessionTurns": 2 } },
      { value: 2, source: "model.maxSessionTurns" }
    ]
  ])("%j limits turns to %j", (given, limit) => expect(planned(given).maxTurns).toEqual(limit as never))

  test("times come from flag, variable or setting", () => {
    expect(planned({ flags: { maxTime: "90" } }).maxTime).toEqual({ value: Duration.seconds(90), source: "--max-time" })
    expect(planned({ env: { GEMINI_MAX_TIME: "2m" } }).maxTime?.source).toBe("GEMINI_MAX_TIME")
    expect(planned({ settings: { "run.maxTime": "5s" } }).maxTime?.source).toBe("run.maxTime")
  })
  test.each([
    ["maxToolCalls", "--max-tool-calls", "GEMINI_MAX_TOOL_CALLS", "run.maxToolCalls"],
    ["maxTokens", "--max-tokens", "GEMINI_MAX_TOKENS", "run.maxTokens"],
    ["maxCost", "--max-cost", "GEMINI_MAX_COST", "run.maxCost"]
  ] as const)("%s: the flag beats the variable, the variable the setting", (property, flag, variable, setting) => {
    const settings = { [setting]: 3 }
    const env = { [variable]: "2" }
    expect(planned({})[property]).toBeUndefined()
    expect(planned({ settings })[property]).toEqual({ value: 3, source: setting })
    expect(planned({ settings, env })[property]).toEqual({ value: 2, source: variable })
    expect(planned({ settings, env, flags: { [property]: "1" } })[property]).toEqual({ value: 1, source: flag })
  })

  test.each([
    ["GEMINI_MAX_TURNS", "many", "whole number"],
    ["GEMINI_MAX_TIME", "soon", "90s"],
    ["GEMINI_MAX_TOOL_CALLS", "0", "whole number"],
    ["GEMINI_MAX_TOKENS", "1.5", "whole number"],
    ["GEMINI_MAX_COST", "-1", "dollars"],
    ["GEMINI_ON_QUOTA", "panic", "fallback:MODEL"]
  ])("%s=%s is refused, with the name and a hint", (name, value, hint) => {
    expect(refused({ env: { [name]: value } })).toMatchObject({
      message: `${name} cannot be "${value}"`,
      hint: expect.stringContaining(hint)
    })
  })
})

describe("when a quota is used up", () => {
  test.each<[Given, unknown]>([
    [{}, { action: "fail" }],
    [{ settings: { "run.onQuota": "fallback:spare" } }, { action: "fallback", model: "spare" }],
    [{ settings: { "run.onQuota": "wait" }, env: { GEMINI_ON_QUOTA: "fallback" } }, { action: "fallback" }],
    [{ env: { GEMINI_ON_QUOTA: "fallback" }, flags: { onQuota: "wait" } }, { action: "wait" }]
  ])("%j: %j", (given, expected) => expect(planned(given).onQuota).toEqual(expected as never))
})
