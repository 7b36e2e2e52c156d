/**
 * `gemini hooks`: which hooks there are, what they do with a sample, and taking over those of another agent. Where they
 * come from, and which of them may run, is decided as in a run.
 */
import { join } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import { readForEdit, storeSetting } from "../../config/edit-settings.ts"
import { parseJsonc, plainValue } from "../../config/jsonc-node.ts"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import { added, fromClaude } from "../../hooks/claude-hooks.ts"
import { type FoundHooks, findHooks } from "../../hooks/find-hooks.ts"
import { HOOK_EVENTS, isHookEvent } from "../../hooks/hook-event.ts"
import { hookDocuments, hookLines, statusesOf } from "../../hooks/listing.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { readRegularFile } from "../../system/regular-file.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, skipTrust, text } from "./common-options.ts"
import { tryHooks } from "./hooks-test.ts"
import { ignoredParts } from "./ignored-parts.ts"
import { loadSettings } from "./load-settings.ts"

const list = Command.make("list", { json, skipTrust }, (options) =>
  Effect.gen(function* () {
    const context = yield* CliContext
    const { config, found } = yield* foundHooks(options)
    const all = statusesOf(found, new Set(config.settings.get("hooksConfig.disabled")))
    if (options.json) return yield* context.write(jsonDocument(hookDocuments(all)))
    const lines = all.length === 0 ? ["No hooks are configured."] : hookLines(all)
    yield* context.write(`${lines.join("\n")}\n`)
  })
).pipe(Command.withDescription("All hooks, where they come from and whether they run."))

const test = Command.make(
  "test",
  {
    event: Args.text({ name: "event" }),
    tool: text("tool", "NAME", "The tool of the sample call."),
    input: text("input", "JSON", "An object that is laid over the sample input."),
    json,
    skipTrust
  },
  (options) =>
    Effect.gen(function* () {
      const { event } = options
      if (!isHookEvent(event)) {
        const near = closestName(event, HOOK_EVENTS)
        return yield* usageError(
          `There is no hook event "${event}"`,
          near === undefined ? `Choose one of: ${HOOK_EVENTS.join(", ")}.` : `Did you mean ${near}?`
        )
      }
      const { config, found } = yield* foundHooks(options)
      const tool = Option.getOrUndefined(options.tool)
      const fields = yield* fieldsOf(Option.getOrElse(options.input, () => "{}"))
      const isFine = yield* tryHooks({ config, event, found, tool, fields, json: options.json })
      if (!isFine) yield* exitWith(ExitCode.general)
    })
).pipe(
  Command.withDescription(
    "Run the hooks of an event with sample input, and say what the agent would do. 1 when one fails."
  )
)

const Fields = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const fieldsOf = (text: string) =>
  Effect.mapError(Schema.decodeUnknown(Fields)(text), () =>
    usageError("--input must be a JSON object", `Write for example --input '{"tool_input":{"command":"ls"}}'.`)
  )

// `gemini hooks migrate --from-claude`: adds the hooks of Claude Code in this project to the settings of the project.

const MAX_BYTES = 10 * 1024 * 1024

/** The personal file of the project is looked for first. */
const FILES = ["settings.local.json", "settings.json"]

const migrateFromClaude = Effect.gen(function* () {
  const context = yield* CliContext
  const { file, value } = yield* readClaude(join(context.cwd, ".claude"))
  const { hooks, leftOut } = fromClaude(value)
  const target = { scope: "workspace" as const, file: join(context.cwd, ".gemini", "settings.json") }
  let count = 0
  for (const event of HOOK_EVENTS) {
    const more = hooks[event]
    if (more === undefined) continue
    const { document } = yield* Effect.mapError(readForEdit(target), ({ message }) => usageError(message))
    const present = document.entries.get(`hooks.${event}`)?.value
    const before = Array.isArray(present) ? present : []
    const after = added(before, more)
    if (after.length === before.length) continue
    count += after.length - before.length
    yield* Effect.catchTag(storeSetting(target, { key: `hooks.${event}`, inside: [] }, after), "ConfigError", (error) =>
      Effect.fail(usageError(error.message))
    )
  }
  yield* Effect.forEach(leftOut, (line) => context.writeError(`[WARNING] left out: ${line}\n`), { discard: true })
  yield* context.write(
    count === 0
      ? `${file}: nothing to take over.\n`
      : `${count} hook definition(s) of ${file} are now in ${target.file}.\nCheck them with gemini hooks list and gemini hooks test.\n`
  )
})

const readClaude = Effect.fnUntraced(function* (folder: string) {
  for (const name of FILES) {
    const file = join(folder, name)
    const content = readRegularFile(file, MAX_BYTES)
    if (content.kind === "missing") continue
    if (content.kind === "refused") return yield* usageError(`${file}: ${content.reason}`)
    const parsed = parseJsonc(content.text)
    if (parsed.kind === "broken") {
      const [fault] = parsed.faults
      return yield* usageError(`${file}:${fault?.line ?? 1}: ${fault?.message ?? "cannot be read"}`)
    }
    return { file, value: parsed.kind === "empty" ? {} : plainValue(parsed.root) }
  }
  return yield* usageError(`There is no ${FILES.join(" or ")} in ${folder}`, "Start it in a project that has one.")
})

const migrate = Command.make(
  "migrate",
  { fromClaude: Options.boolean("from-claude").pipe(Options.withDescription("From .claude/settings.json.")) },
  ({ fromClaude }) =>
    Effect.gen(function* () {
      const context = yield* CliContext
      if (!fromClaude)
        return yield* context.write("gemini hooks migrate --from-claude takes over hooks of Claude Code.\n")
      yield* migrateFromClaude
    })
).pipe(Command.withDescription("Take over hooks of another agent."))

export const subcommand = defineSubcommand({
  aliases: ["hook"],
  matching: "always",
  command: Command.make("hooks").pipe(
    Command.withDescription("Manage hooks: programs that run at points of the agent's work."),
    Command.withSubcommands([list, test, migrate])
  ),
  examples: ["gemini hooks test BeforeTool --tool run_shell_command"]
})

/** What is wrong in the files is said first: a hook that is missing from a list is looked for. */
const foundHooks = Effect.fnUntraced(function* ({ skipTrust }: { readonly skipTrust: boolean }) {
  const context = yield* CliContext
  const config = yield* loadSettings({ skipTrust })
  const { extensions, notices } = yield* loadExtensions({ config })
  const found: FoundHooks = yield* findHooks(config, extensions)
  const ignored = yield* ignoredParts(config, "hooks")
  const warnings = [
    ...config.settings.warnings.filter((warning) => warning.includes("hooks")),
    ...notices,
    ...found.problems,
    ...(config.settings.get("hooksConfig.enabled") ? [] : ["hooksConfig.enabled is false: no hook runs"]),
    ...(ignored === undefined ? [] : ["this folder is not trusted: its hooks are ignored (--skip-trust)"])
  ]
  yield* Effect.forEach(warnings, (warning) => context.writeError(`[WARNING] ${warning}\n`), { discard: true })
  return { config, found }
})
