/**
 * `gemini hooks`: which hooks there are, what they do with a sample, and taking over those of another agent. Where they
 * come from, and which of them may run, is decided as in a run.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import { loadExtensions } from "../../extensions/load-extensions.ts"
import { type FoundHooks, findHooks } from "../../hooks/find-hooks.ts"
import { HOOK_EVENTS, isHookEvent } from "../../hooks/hook-event.ts"
import { hookDocuments, hookLines, statusesOf } from "../../hooks/listing.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import { CliContext } from "../cli-context.ts"
import { exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { usageError } from "../usage-error.ts"
import { jsonDocument } from "./command-output.ts"
import { json, skipTrust, text } from "./common-options.ts"
import { migrateFromClaude } from "./hooks-migrate.ts"
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
