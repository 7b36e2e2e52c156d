/**
 * `gemini config`: look at settings, say where each comes from, change and check them. Works on broken files too, since
 * it is what a person reaches for then. Needs `CliContext` and nothing else; ends with a `UsageError` (exit 1) or a
 * `StorageError` when it cannot do what was asked.
 */
import { dirname, join } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Either } from "effect"
import { makeSettingsFile, readForEdit, removeSetting, storeSetting } from "../../config/edit-settings.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { readArgument } from "../../config/setting-argument.ts"
import { parseSettingPath, type SettingPath, valueInside } from "../../config/setting-path.ts"
import type { SettingKey } from "../../config/setting-table.ts"
import { isSet, shownSetting, winningVariable } from "../../config/setting-variables.ts"
import type { SettingsFile } from "../../config/settings-files.ts"
import * as Report from "../../config/settings-report.ts"
import { whyIneffective } from "../../config/unsupported-settings.ts"
import { lazy } from "../../kernel/lazy.ts"
import { jsonText } from "../../kernel/readable-text.ts"
import { CliContext } from "../cli-context.ts"
import { defineSubcommand } from "../subcommand.ts"
import { usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, scope } from "./common-options.ts"
import { loadSettings, unreadableSettings } from "./load-settings.ts"

const all = Options.boolean("all").pipe(Options.withDescription("Also settings that have their default."))
const where = Options.withDefault(scope(["user", "project"], "Which file is changed."), "user" as const)
const key = Args.text({ name: "key" })
const value = Args.text({ name: "value" })

const list = Command.make("list", { json, all }, (options) =>
  Effect.gen(function* () {
    const loaded = yield* load()
    const shown = loaded.settings
      .all()
      .map((one) => shownSetting(one, loaded.environment.get))
      .filter((one) => options.all || isSet(one))
    yield* options.json ? print(shown.map(Report.explanationDocument)) : print(...shown.map(Report.listLine))
    yield* noteUntrusted(loaded)
  })
).pipe(Command.withDescription("Every setting that is set, and where."))

const get = Command.make("get", { key, json }, (options) =>
  Effect.gen(function* () {
    const path = yield* settingPath(options.key)
    const loaded = yield* load()
    const explanation = shownIn(loaded, path.key)
    // Whoever names one value, and no list, gets it as it is.
    const named =
      path.inside.length === 0 ? undefined : valueInside(loaded.settings.explain(path.key).value, path.inside)
    const inside = typeof named === "string" ? named : valueInside(explanation.value, path.inside)
    yield* options.json
      ? print({
          key: options.key,
          value: inside ?? null,
          sources: explanation.sources,
          ...(explanation.variables.length === 0 ? {} : { variables: explanation.variables })
        })
      : print(Report.valueText(inside))
    yield* noteUntrusted(loaded)
  })
).pipe(Command.withDescription("The value of one setting."))

const explain = Command.make("explain", { key, json }, (options) =>
  Effect.gen(function* () {
    const path = yield* settingPath(options.key)
    const loaded = yield* load()
    const explanation = shownIn(loaded, path.key)
    yield* options.json
      ? print(Report.explanationDocument(explanation))
      : print(...Report.explanationLines(explanation))
    yield* noteUntrusted(loaded)
  })
).pipe(Command.withDescription("What every file says about it, and which one counts."))

const set = Command.make("set", { key, value, scope: where, json }, (options) =>
  Effect.gen(function* () {
    const path = yield* settingPath(options.key)
    const before = yield* load()
    const target = yield* targetFile(before, options.scope)
    if (path.key.startsWith("admin."))
      return yield* usageError(`${path.key} is set by an administrator only, in the settings file of the system`)
    const { document } = yield* readForEdit(target)
    const present = document.entries.get(path.key)?.value
    const stored = readArgument({ path, text: options.value, present, lookup: before.environment.get })
    if (Either.isLeft(stored)) return yield* usageError(`${options.key}: ${stored.left}`)
    const changed = yield* storeSetting(target, path, stored.right)
    yield* reportChange({ path, target, changed, asJson: options.json, done: "set" })
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))
).pipe(Command.withDescription("Change a setting."))

const unset = Command.make("unset", { key, scope: where, json }, (options) =>
  Effect.gen(function* () {
    const path = yield* settingPath(options.key)
    const target = yield* targetFile(yield* load(), options.scope)
    const changed = yield* removeSetting(target, path)
    yield* reportChange({ path, target, changed, asJson: options.json, done: "removed" })
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))
).pipe(Command.withDescription("Remove a setting."))

const path = Command.make("path", { json }, (options) =>
  Effect.gen(function* () {
    const { files, trust } = yield* load()
    const rows = files.map(({ scope: name, file }) => ({
      scope: name,
      file,
      exists: Report.exists(file),
      used: name !== "workspace" || trust.trust === "trusted"
    }))
    yield* options.json
      ? print(rows)
      : print(
          ...rows.map(
            (row) =>
              `${row.scope}: ${row.file}${row.exists ? "" : " (missing)"}${row.used ? "" : " (ignored: the folder is not trusted)"}`
          )
        )
  })
).pipe(Command.withDescription("The settings files that are read."))

const validate = Command.make("validate", { json }, (options) =>
  Effect.gen(function* () {
    // Once as a run sees it, and once with the project's file, which an untrusted folder hides.
    const asRun = yield* load()
    const withProject = yield* load({ skipTrust: true })
    const { runFindings } = yield* lazy(() => import("./run-findings.ts"))
    const findings = Report.distinctFindings([
      ...asRun.findings,
      ...withProject.findings,
      ...(yield* runFindings(asRun)),
      ...(withProject.trust.trust === asRun.trust.trust ? [] : yield* runFindings(withProject))
    ])
    const problems = findings.filter(({ severity }) => severity !== "note")
    yield* options.json
      ? print({ ok: problems.length === 0, findings })
      : print(...findings.map(Report.findingLine), ...(findings.length === 0 ? ["The settings are fine."] : []))
    if (problems.length > 0) {
      return yield* usageError(`${problems.length} problem(s) in what a run would read`, "The lines above say where.")
    }
  })
).pipe(
  Command.withDescription(
    "Check the settings and what a run would read beside them: servers, hooks, rules, skills, agents, commands, extensions; exit 1 when something is wrong."
  )
)

const SCHEMA_FILE = "settings.schema.json"

const init = Command.make("init", { scope: where, json }, (options) =>
  Effect.gen(function* () {
    const target = yield* targetFile(yield* load(), options.scope)
    const { commentedSettings } = yield* lazy(() => import("../../config/commented-settings.ts"))
    const { schemaDocument, schemaRows } = yield* lazy(() => import("../schemas/schema-list.ts"))
    const isNew = yield* makeSettingsFile(target, commentedSettings(`./${SCHEMA_FILE}`))
    if (!isNew) return yield* usageError(`${target.file} exists already`, "gemini config set changes a setting in it.")
    const schema = join(dirname(target.file), SCHEMA_FILE)
    const { settings } = schemaRows
    if (settings !== undefined) {
      const text = jsonDocument(yield* lazy(() => schemaDocument("settings", settings)))
      yield* makeSettingsFile({ ...target, file: schema }, text)
    }
    yield* options.json
      ? print({ file: target.file, schema })
      : print(`${target.file}: every setting is there, as a comment`, `${schema}: tells editors what may stand in it`)
  }).pipe(Effect.catchTag("ConfigError", unreadableSettings))
).pipe(Command.withDescription("Write a settings file with every setting as a comment, and its schema for editors."))

export const subcommand = defineSubcommand({
  matching: "exact",
  command: Command.make("config").pipe(
    Command.withDescription("Show, check and change settings."),
    Command.withSubcommands([list, get, explain, set, unset, init, path, validate])
  ),
  examples: ["gemini config explain model.name", "gemini config set model.name flash --scope project"]
})

/** Secrets that settings refer to by variable are shown by the name of the variable. */
const isSecretName = (name: string): boolean => /TOKEN|SECRET|PASSW|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT/i.test(name)

const load = (flags: { readonly skipTrust?: boolean } = {}) =>
  loadSettings({ ...flags, tolerant: true, isHidden: isSecretName })

const shownIn = ({ environment, settings }: LoadedConfig, name: SettingKey) =>
  shownSetting(settings.explain(name), environment.get)

/** Values as JSON documents, texts as lines. */
const print = Effect.fnUntraced(function* (...items: ReadonlyArray<unknown>) {
  const context = yield* CliContext
  const lines = items.map((item) => (typeof item === "string" ? item : jsonText(item, 2)))
  if (lines.length > 0) yield* context.write(`${lines.join("\n")}\n`)
})

const settingPath = (text: string): Effect.Effect<SettingPath, ReturnType<typeof usageError>> =>
  Either.match(parseSettingPath(text), {
    onLeft: (nearest) =>
      usageError(
        `Unknown setting ${text}`,
        nearest.length === 0 ? "gemini config list --all shows every key." : `Did you mean ${nearest.join(", ")}?`
      ),
    onRight: (found) => Effect.succeed(found)
  })

const targetFile = (loaded: LoadedConfig, wanted: "user" | "project") => {
  const file = loaded.files.find(({ scope: name }) => name === (wanted === "user" ? "user" : "workspace"))
  if (file !== undefined) return Effect.succeed(file)
  return wanted === "user"
    ? usageError("There is no home folder to keep settings in", "Set HOME or GEMINI_CLI_HOME.")
    : usageError("The home folder has no project settings", "Use --scope user, or change to a project folder.")
}

interface Change {
  readonly path: SettingPath
  readonly target: SettingsFile
  readonly changed: boolean
  readonly asJson: boolean
  readonly done: "set" | "removed"
}

/** Says what happened, and warns when the change has no effect: a stronger file has the say, or nothing reads it. */
const reportChange = Effect.fnUntraced(function* ({
  path: { key: name, inside },
  target,
  changed,
  asJson,
  done
}: Change) {
  const context = yield* CliContext
  const after = yield* load()
  const shown = shownIn(after, name)
  const { sources, value: effective } = shown
  const full = [name, ...inside].join(".")
  yield* asJson
    ? print({ key: full, file: target.file, changed, value: valueInside(effective, inside) ?? null })
    : print(changed ? `${full} ${done} in ${target.file}` : `${target.file}: nothing to change`)
  const variable = winningVariable(shown)
  const winner = sources.findLast(({ used }) => used)
  const own = sources.find(({ scope: source }) => source === target.scope)
  if (done === "set" && variable !== undefined) {
    yield* context.writeError(`${full} has no effect while the variable ${variable.name} is set\n`)
  } else if (done === "set" && own?.used === false && winner !== undefined) {
    yield* context.writeError(`${full} has no effect: ${winner.file}:${winner.line} is stronger\n`)
  }
  const because = done === "set" ? whyIneffective(name, effective) : undefined
  if (because !== undefined) yield* context.writeError(`${full} has no effect: ${because}\n`)
  if (target.scope === "workspace") yield* noteUntrusted(after)
})

const noteUntrusted = Effect.fnUntraced(function* ({ trust, files }: LoadedConfig) {
  const context = yield* CliContext
  const project = files.find(({ scope: name }) => name === "workspace")
  if (trust.trust === "trusted" || project === undefined || !Report.exists(project.file)) return
  yield* context.writeError(`${project.file} is ignored: the folder is not trusted\n`)
})
