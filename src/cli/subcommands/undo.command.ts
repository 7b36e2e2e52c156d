/**
 * `gemini undo`: takes back what a run changed in files. The plan is always shown; it is carried out after a yes, from
 * the terminal or by `--yes`. Where nobody can be asked, showing it is all that happens, and the exit code says so.
 */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, Effect, Option } from "effect"
import { includeDirectories } from "../../config/workspace-roots.ts"
import { ExitCode } from "../../protocol/exit-code.ts"
import * as Undo from "../../session/undo/undo.ts"
import type { UndoError, UndoPlan } from "../../session/undo/undo-plan.ts"
import { snapshotOptions } from "../../session/undo/undo-settings.ts"
import { listJson, listText, planJson, planText, resultText, type TextOptions } from "../../session/undo/undo-text.ts"
import type { StorageError } from "../../system/storage-error.ts"
import { CliContext } from "../cli-context.ts"
import { type CommandExit, exitWith } from "../command-exit.ts"
import { defineSubcommand } from "../subcommand.ts"
import { UsageError, usageError } from "../usage-error.ts"
import { jsonDocument, print } from "./command-output.ts"
import { json } from "./common-options.ts"
import { loadSettings } from "./load-settings.ts"

const flags = {
  json,
  yes: Options.boolean("yes").pipe(Options.withAlias("y"), Options.withDescription("Do it without asking.")),
  dryRun: Options.boolean("dry-run").pipe(Options.withDescription("Only show what would be done.")),
  force: Options.boolean("force").pipe(Options.withDescription("Also overwrite what was changed since the run."))
}

interface Flags {
  readonly json: boolean
  readonly yes: boolean
  readonly dryRun: boolean
  readonly force: boolean
}

const list = Command.make("list", { json }, (options) =>
  withUndo((undo, text) =>
    Effect.gen(function* () {
      const runs = yield* undo.list
      yield* print(options.json ? jsonDocument(listJson(runs)) : listText(runs, text))
    })
  )
).pipe(Command.withDescription("What can be taken back."))

const undo = Command.make(
  "undo",
  { run: Args.text({ name: "run|session" }).pipe(Args.optional), ...flags },
  ({ run, ...options }) => takeBack(Option.getOrUndefined(run), options)
).pipe(Command.withDescription("Take back what a run changed in files."), Command.withSubcommands([list]))

export const subcommand = defineSubcommand({
  matching: "exact",
  command: undo,
  ids: ["run", "session"],
  examples: ["gemini undo", "gemini undo --dry-run", "gemini undo 3f2a91c0-1 --yes"]
})

const takeBack = (run: string | undefined, options: Flags) =>
  withUndo((undo, text) =>
    Effect.gen(function* () {
      const plan = yield* undo.plan({ run, force: options.force })
      if (!options.json) yield* print(planText(plan, text))
      if (options.dryRun || plan.steps.length === 0) {
        if (options.json) yield* print(jsonDocument(planJson(plan, undefined)))
        if (plan.leftAlone.length > 0 && !options.dryRun) yield* exitWith(ExitCode.general)
        return
      }
      if (!(yield* isAgreed(plan, options))) {
        if (options.json) yield* print(jsonDocument(planJson(plan, undefined)))
        return yield* exitWith(ExitCode.general)
      }
      const result = yield* undo.apply(plan)
      yield* print(
        options.json
          ? jsonDocument(planJson(plan, result))
          : resultText(plan, result, { ...text, command: "gemini undo" })
      )
      if (result.failed.length > 0 || plan.leftAlone.length > 0) yield* exitWith(ExitCode.general)
    })
  )

const isAgreed = Effect.fnUntraced(function* (plan: UndoPlan, { json, yes }: Flags) {
  const context = yield* CliContext
  if (yes) return true
  if (context.confirm !== undefined && !json) {
    const paths = plan.steps.length === 1 ? "this path" : `these ${plan.steps.length} paths`
    return yield* context.confirm(`Restore ${paths}?`)
  }
  yield* context.writeError("Nothing was changed: --yes carries it out.\n")
  return false
})

const withUndo = (
  use: (
    undo: Undo.Undo["Type"],
    text: TextOptions
  ) => Effect.Effect<void, UndoError | StorageError, CliContext | CommandExit>
) =>
  Effect.gen(function* () {
    const config = yield* loadSettings({ ignoreEnv: true })
    const { cwd } = config.environment
    // Looking does not register a project that never ran: nothing lies below the place that stands for its folder.
    const historyDir = Effect.succeed(config.storage.knownProjectHistoryDir() ?? "/dev/null")
    const layer = Undo.layer({ ...snapshotOptions(config, includeDirectories(config, [])), historyDir })
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.flatMap(Undo.Undo, (undo) => use(undo, { cwd, now })).pipe(Effect.provide(layer))
  }).pipe(
    Effect.catchTag("UndoError", ({ kind, message }) =>
      kind === "unknown-run"
        ? new UsageError({ message, hint: "See gemini undo list.", exitCode: ExitCode.input })
        : usageError(message, "See gemini undo list.")
    )
  )
