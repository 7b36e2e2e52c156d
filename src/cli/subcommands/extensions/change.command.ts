/** `gemini extensions install | link | update | uninstall`: what changes the files of extensions. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { shownMetadata } from "../../../extensions/extension-report.ts"
import { install } from "../../../extensions/install-flow.ts"
import type { InstalledExtension } from "../../../extensions/installed.ts"
import { readInstalled } from "../../../extensions/installed.ts"
import { findInstalled, findRemovable, uninstall } from "../../../extensions/uninstall.ts"
import { type Updated, update, updatedText } from "../../../extensions/update-flow.ts"
import { ExitCode } from "../../../protocol/exit-code.ts"
import { CliContext } from "../../cli-context.ts"
import { exitWith } from "../../command-exit.ts"
import { usageError } from "../../usage-error.ts"
import { printResult } from "../command-output.ts"
import { consent, json, text } from "../common-options.ts"
import { complain, dialogueOf, loadForExtensions, reported } from "./extension-context.ts"

const installOptions = {
  source: Args.text({ name: "source" }),
  ref: text("ref", "REF", "Branch, tag or commit."),
  autoUpdate: Options.boolean("auto-update").pipe(Options.withDescription("Keep it up to date.")),
  preRelease: Options.boolean("pre-release").pipe(Options.withDescription("Take pre-releases too.")),
  skipSettings: Options.boolean("skip-settings").pipe(Options.withDescription("Do not ask for its settings.")),
  consent,
  json
}

export const installCommand = Command.make("install", installOptions, (options) =>
  reported(
    Effect.gen(function* () {
      const context = yield* CliContext
      const config = yield* loadForExtensions()
      const extension = yield* install(
        {
          source: options.source,
          ref: Option.getOrUndefined(options.ref),
          autoUpdate: options.autoUpdate,
          allowPreRelease: options.preRelease,
          isLink: false,
          hasConsent: options.consent,
          skipSettings: options.skipSettings
        },
        config,
        dialogueOf(context)
      )
      yield* printResult(
        options,
        `Extension "${extension.name}" installed successfully and enabled.`,
        documentOf(extension)
      )
    })
  )
).pipe(Command.withDescription("Install from a URL, github:owner/repo or a local folder."))

export const linkCommand = Command.make("link", { path: Args.text({ name: "path" }), consent, json }, (options) =>
  reported(
    Effect.gen(function* () {
      const context = yield* CliContext
      const config = yield* loadForExtensions()
      const wish = { source: options.path, isLink: true, hasConsent: options.consent, skipSettings: false }
      const extension = yield* install(wish, config, dialogueOf(context))
      yield* printResult(
        options,
        `Extension "${extension.name}" linked successfully and enabled.`,
        documentOf(extension)
      )
    })
  )
).pipe(Command.withDescription("Use a local folder in place."))

const names = Args.text({ name: "names" }).pipe(Args.repeated)
const all = (does: string) => Options.boolean("all").pipe(Options.withDescription(`${does} all of them.`))

export const uninstallCommand = Command.make("uninstall", { names, all: all("Remove"), json }, (options) =>
  reported(
    Effect.gen(function* () {
      if (options.names.length === 0 && !options.all) {
        return yield* usageError("which extension?", "Name one or several, or write --all.")
      }
      const config = yield* loadForExtensions()
      const wanted = options.all
        ? (yield* readInstalled(config.storage.extensionsDir)).extensions.map(({ name }) => name)
        : [...new Set(options.names)]
      const gone: Array<string> = []
      for (const name of wanted) {
        yield* findRemovable(name, config).pipe(
          Effect.tap((extension) => uninstall(extension, config)),
          Effect.tap((extension) => Effect.sync(() => gone.push(extension.name))),
          Effect.catchTag("ExtensionError", (error) => Effect.zipRight(complain(error), exitWith(ExitCode.general)))
        )
      }
      const lines = gone.map((name) => `Extension "${name}" successfully uninstalled.`)
      const text = wanted.length === 0 ? "No extensions are installed." : lines.join("\n")
      yield* printResult(options, text, { uninstalled: gone })
    })
  )
).pipe(Command.withDescription("Remove extensions, by name or source."))

const name = Args.text({ name: "name" }).pipe(Args.optional)

export const updateCommand = Command.make("update", { name, all: all("Update"), json }, (options) =>
  reported(
    Effect.gen(function* () {
      const one = Option.getOrUndefined(options.name)
      if ((one === undefined) !== options.all) {
        return yield* usageError(
          one === undefined ? "which extension?" : "--all and a name exclude each other",
          "Name one extension, or write --all."
        )
      }
      const context = yield* CliContext
      const config = yield* loadForExtensions()
      const { extensions } = yield* readInstalled(config.storage.extensionsDir)
      const wanted = one === undefined ? extensions : [yield* findInstalled(one, config)]
      const results: Array<Updated> = []
      for (const extension of wanted) results.push(yield* update(extension, config, dialogueOf(context)))
      const text = results.length === 0 ? "No extensions to update." : results.map(updatedText).join("\n")
      yield* printResult(options, text, results)
      if (results.some(({ state }) => state === "error")) yield* exitWith(ExitCode.general)
    })
  )
).pipe(Command.withDescription("Update one extension or all."))

const documentOf = ({ id, manifest, metadata, name: installed, path }: InstalledExtension) => ({
  name: installed,
  version: manifest.version,
  id,
  path,
  installMetadata: metadata === undefined ? undefined : shownMetadata(metadata)
})
