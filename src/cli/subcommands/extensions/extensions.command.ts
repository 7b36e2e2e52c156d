/**
 * `gemini extensions`: what is installed, where it is on, and values of its settings. What changes files is in
 * `change.command.ts`. Results go to standard output, questions and what is wrong to standard error.
 */
import { basename, resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { configure } from "../../../extensions/config-flow.ts"
import { extensionDocument, extensionText } from "../../../extensions/extension-report.ts"
import { listExtensions } from "../../../extensions/list-extensions.ts"
import { createExtension, TEMPLATE_NAMES } from "../../../extensions/new-extension.ts"
import { notCovered, turnOff, turnOn, turnOnEverywhere } from "../../../extensions/switch-extension.ts"
import { findInstalled } from "../../../extensions/uninstall.ts"
import { validateExtension } from "../../../extensions/validate.ts"
import { closestName } from "../../../kernel/closest-name.ts"
import { ExitCode } from "../../../protocol/exit-code.ts"
import { quote } from "../../../shell/analysis/word.ts"
import { CliContext } from "../../cli-context.ts"
import { exitWith } from "../../command-exit.ts"
import { defineSubcommand } from "../../subcommand.ts"
import { usageError } from "../../usage-error.ts"
import { printResult } from "../command-output.ts"
import { json, scope } from "../common-options.ts"
import { installCommand, linkCommand, uninstallCommand, updateCommand } from "./change.command.ts"
import { dialogueOf, loadForExtensions, reported } from "./extension-context.ts"
import { validateParts } from "./validate-parts.ts"

const outputFormat = Options.choice("output-format", ["text", "json"]).pipe(
  Options.withAlias("o"),
  Options.withPseudoName("FORMAT"),
  Options.withDefault("text" as const),
  Options.withDescription("How to print it.")
)

const list = Command.make("list", { outputFormat, json }, (options) =>
  reported(
    Effect.gen(function* () {
      const context = yield* CliContext
      const config = yield* loadForExtensions()
      const { problems, reports } = yield* listExtensions(config)
      const text = reports.length === 0 ? "No extensions installed." : reports.map(extensionText).join("\n\n")
      yield* printResult(
        { json: options.json || options.outputFormat === "json" },
        text,
        reports.map(extensionDocument)
      )
      yield* Effect.forEach(problems, (problem) => context.writeError(`[WARNING] ${problem}\n`), { discard: true })
    })
  )
).pipe(Command.withDescription("List what is installed."))

const name = Args.text({ name: "name" })
const SCOPES = ["user", "workspace"] as const

const disable = Command.make(
  "disable",
  { name, scope: Options.withDefault(scope(SCOPES), "user" as const), json },
  (options) =>
    reported(
      Effect.gen(function* () {
        const context = yield* CliContext
        const config = yield* loadForExtensions()
        const extension = yield* findInstalled(options.name, config)
        yield* turnOff(extension, options.scope, config)
        yield* printResult(
          options,
          `Extension "${extension.name}" successfully disabled for scope "${options.scope}".`,
          {
            name: extension.name,
            scope: options.scope,
            enabled: false
          }
        )
        const note = notCovered(options.scope, config)
        if (note !== undefined) yield* context.writeError(`${note}\n`)
      })
    )
).pipe(Command.withDescription("Turn one off."))

const enable = Command.make(
  "enable",
  { name, scope: Options.optional(scope(SCOPES, "Where it is stored (default: both).")), json },
  (options) =>
    reported(
      Effect.gen(function* () {
        const config = yield* loadForExtensions()
        const extension = yield* findInstalled(options.name, config)
        yield* Option.match(options.scope, {
          onNone: () => turnOnEverywhere(extension, config),
          onSome: (place) => turnOn(extension, place, config)
        })
        const where = Option.match(options.scope, {
          onNone: () => "in all scopes",
          onSome: (place) => `for scope "${place}"`
        })
        yield* printResult(options, `Extension "${extension.name}" successfully enabled ${where}.`, {
          name: extension.name,
          scope: Option.getOrElse(options.scope, () => "all"),
          enabled: true
        })
      }),
      ExitCode.config
    )
).pipe(Command.withDescription("Turn one on."))

const path = Args.text({ name: "path" })

const create = Command.make(
  "new",
  { path, template: Args.text({ name: "template" }).pipe(Args.optional), json },
  (options) =>
    reported(
      Effect.gen(function* () {
        const context = yield* CliContext
        const folder = resolve(context.cwd, options.path)
        const files = yield* createExtension(folder, yield* templateOf(Option.getOrUndefined(options.template)))
        const first = files.includes("package.json") ? `npm install --prefix ${quote(folder)} && ` : ""
        const text = `Created extension "${basename(folder)}" in ${folder}: ${files.join(", ")}\nTry it with: ${first}gemini extensions link ${quote(folder)}`
        yield* printResult(options, text, { name: basename(folder), path: folder, files })
      })
    )
).pipe(Command.withDescription("Create one, empty or from a template."))

const templateOf = (typed: string | undefined) => {
  const template = TEMPLATE_NAMES.find((known) => known === typed)
  if (typed === undefined || template !== undefined) return Effect.succeed(template)
  const near = closestName(typed, TEMPLATE_NAMES)
  return usageError(
    `There is no template "${typed}"`,
    near === undefined ? `Choose one of: ${TEMPLATE_NAMES.join(", ")}.` : `Did you mean ${near}?`
  )
}

const validate = Command.make("validate", { path, json }, (options) =>
  reported(
    Effect.gen(function* () {
      const context = yield* CliContext
      const folder = resolve(context.cwd, options.path)
      const { manifest, ...found } = yield* validateExtension(folder)
      const parts = yield* validateParts(folder, manifest?.name ?? basename(folder))
      const errors = [...found.errors, ...parts.errors]
      const warnings = [...found.warnings, ...parts.warnings]
      const isValid = errors.length === 0
      if (options.json) {
        yield* printResult(options, "", {
          path: folder,
          name: manifest?.name ?? null,
          valid: isValid,
          errors,
          warnings
        })
      } else {
        const lines = [...errors.map((text) => `[ERROR] ${text}`), ...warnings.map((text) => `[WARNING] ${text}`)]
        yield* Effect.forEach(lines, (line) => context.writeError(`${line}\n`), { discard: true })
        if (isValid) yield* printResult(options, `Extension ${folder} has been successfully validated.`, undefined)
      }
      if (!isValid) yield* exitWith(ExitCode.general)
    })
  )
).pipe(Command.withDescription("Check a folder; exit 1 when something is wrong."))

const options = {
  name: Args.text({ name: "name" }).pipe(Args.optional),
  setting: Args.text({ name: "setting" }).pipe(Args.optional),
  scope: Options.withDefault(scope(["user", "workspace"]), "user" as const),
  json
}

/** `gemini extensions config`: asks for values of the settings that extensions declare. */
const configCommand = Command.make("config", options, ({ name, scope: place, setting, ...flags }) =>
  reported(
    Effect.gen(function* () {
      const context = yield* CliContext
      const config = yield* loadForExtensions()
      if (!config.settings.get("experimental.extensionConfig")) {
        return yield* usageError("settings of extensions are off: experimental.extensionConfig is false")
      }
      const wish = { name: Option.getOrUndefined(name), setting: Option.getOrUndefined(setting), scope: place }
      const changed = yield* configure(wish, config, dialogueOf(context))
      const lines = changed.map((one) => `${one.extension}: ${one.setting} is set for scope "${place}".`)
      yield* printResult(flags, lines.length === 0 ? "Nothing was changed." : lines.join("\n"), changed)
    })
  )
).pipe(Command.withDescription("Ask for the settings of one, or of all."))

const command = Command.make("extensions").pipe(
  Command.withDescription("Manage extensions."),
  Command.withSubcommands([
    installCommand,
    uninstallCommand,
    list,
    updateCommand,
    disable,
    enable,
    linkCommand,
    create,
    validate,
    configCommand
  ])
)

export const subcommand = defineSubcommand({
  aliases: ["extension"],
  matching: "always",
  command,
  examples: ["gemini extensions install github:acme/docs-extension", "gemini extensions disable docs --scope workspace"]
})
