/** What the variables of a server mean: settings, how loud it is, and where tasks may work. */
import { expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, LogLevel } from "effect"
import { logLevelOf, settingsIn, taskFolder } from "./server-variables.ts"

test.each<[Record<string, string>, unknown]>([
  [{}, undefined],
  [{ CHECKPOINTING: "", GEMINI_FOLDER_TRUST: "false", CUSTOM_IGNORE_FILE_PATHS: ":" }, undefined],
  [{ CHECKPOINTING: "true" }, { general: { checkpointing: { enabled: true } } }],
  [{ CHECKPOINTING: "no" }, { general: { checkpointing: { enabled: false } } }],
  [{ GEMINI_FOLDER_TRUST: "true" }, { security: { folderTrust: { enabled: true } } }],
  [{ CUSTOM_IGNORE_FILE_PATHS: "/a:b" }, { context: { fileFiltering: { customIgnoreFilePaths: ["/a", "b"] } } }]
])("%j as settings", (env, settings) => {
  const given = settingsIn(env)
  expect(given === undefined ? undefined : JSON.parse(given.text)).toEqual(settings)
})

test.each([
  [undefined, LogLevel.Info],
  ["nonsense", LogLevel.Info],
  ["WARN", LogLevel.Warning],
  ["error", LogLevel.Error],
  ["none", LogLevel.None],
  ["debug", LogLevel.Debug]
])("LOG_LEVEL %p", (wanted, level) => {
  expect(logLevelOf(wanted === undefined ? {} : { LOG_LEVEL: wanted })).toBe(level)
})

test("where tasks may work: what the server was told beats what a message says, and `/` is no permission", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "a2a-")))
  const at = (name: string) => join(root, name)
  for (const name of ["home/sub", "tmp", "work", "other"]) mkdirSync(at(name), { recursive: true })
  const env = { HOME: at("home"), TMPDIR: at("tmp") }
  const folder = (asked: string | undefined, place: Partial<Parameters<typeof taskFolder>[1]> = {}) =>
    Either.getOrElse(
      Effect.runSync(Effect.either(taskFolder(asked, { cwd: at("work"), env, workspace: undefined, ...place }))),
      () => "refused"
    )
  expect([undefined, at("home/sub"), at("tmp"), at("work")].map((asked) => folder(asked))).toEqual([
    at("work"),
    at("home/sub"),
    at("tmp"),
    at("work")
  ])
  expect(["/etc", at("other"), at("missing"), "home", "/"].map((asked) => folder(asked))).toEqual(
    Array.from({ length: 5 }, () => "refused")
  )
  expect(folder(at("other"), { workspace: "../work" })).toBe(at("work"))
  expect(folder(at("other"), { env: { ...env, CODER_AGENT_ALLOWED_ROOT: at("other") } })).toBe(at("other"))
  expect(folder(at("home"), { env: { ...env, CODER_AGENT_ALLOWED_ROOT: at("other") } })).toBe("refused")
  expect([folder(undefined, { cwd: "/" }), folder(at("other"), { cwd: "/" }), folder("/", { cwd: "/" })]).toEqual([
    "/",
    "refused",
    "refused"
  ])
  rmSync(root, { recursive: true })
})
