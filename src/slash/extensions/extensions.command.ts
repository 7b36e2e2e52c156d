/**
 * `/extensions`: what is installed and on, and changes to it. Listing and updating always work; what would need a restart
 * is offered where `experimental.extensionReloading` lets a session be built anew.
 */

import { Effect, Ref } from "effect"
import { managedAt } from "../../config/administrator.ts"
import { Environment } from "../../config/environment.ts"
import { FolderTrust } from "../../config/folder-trust.ts"
import { Settings } from "../../config/settings.ts"
import { Storage } from "../../config/storage.ts"
import { configure } from "../../extensions/config-flow.ts"
import type { ExtensionConfig } from "../../extensions/extension-config.ts"
import type { ExtensionError } from "../../extensions/extension-error.ts"
import { extensionDocument } from "../../extensions/extension-report.ts"
import { Extensions } from "../../extensions/extensions.ts"
import { install } from "../../extensions/install-flow.ts"
import { listExtensions } from "../../extensions/list-extensions.ts"
import { exploreRegistry, registryPlace } from "../../extensions/registry.ts"
import { type Dialogue, nobody } from "../../extensions/setting-questions.ts"
import { notCovered, turnOff, turnOn, turnOnEverywhere } from "../../extensions/switch-extension.ts"
import { findInstalled, findRemovable, uninstall } from "../../extensions/uninstall.ts"
import { type Updated, update, updatedText } from "../../extensions/update-flow.ts"
import { visibleLine } from "../../kernel/visible-text.ts"
import { type Command, type CommandResult, type Invocation, print, slash } from "../command.ts"
import { type Arguments, parseArguments } from "../command-arguments.ts"
import { CommandError, usageOf } from "../command-error.ts"
import { askedInTurn } from "./command-dialogue.ts"

type Services = Extensions | Settings | Environment | FolderTrust | Storage

interface Call {
  readonly config: ExtensionConfig
  readonly args: Arguments
  readonly dialogue: Dialogue
}

type Handler = (call: Call) => Effect.Effect<CommandResult, ExtensionError | CommandError, Services>

/** A command that may ask; without somebody to answer, every answer is no. */
const asking = (handler: Handler) => (invocation: Invocation) =>
  Effect.gen(function* () {
    const config: ExtensionConfig = {
      settings: yield* Settings,
      environment: yield* Environment,
      trust: yield* FolderTrust,
      storage: yield* Storage
    }
    if (!config.settings.get("admin.extensions.enabled"))
      return yield* failed(`Your administrator turned extensions off (${managedAt(config.settings)}).`)
    const args = parseArguments(invocation.args, ["scope", "ref"])
    const run = (dialogue: Dialogue) =>
      Effect.catchTag(handler({ config, args, dialogue }), "ExtensionError", (error) => failed(error.message))
    return yield* invocation.isInteractive ? askedInTurn(run) : run(nobody)
  })

const failed = (detail: string) => new CommandError({ kind: "failed", detail })

const list = asking(({ config }) =>
  Effect.gen(function* () {
    const { named, session } = yield* Extensions
    const { problems, reports } = yield* listExtensions(config, { named, session: yield* Ref.get(session) })
    const lines = reports.map(({ extension, standing }) => {
      const state = standing.isOn ? "on" : `off: ${standing.because}`
      return `${standing.isOn ? "✓" : "✗"} ${extension.name} (${extension.manifest.version}) - ${state}`
    })
    const text = [...lines, ...problems.map((problem) => `! ${problem}`)].join("\n")
    return print(text === "" ? "No extensions installed." : text, reports.map(extensionDocument))
  })
)

const updates = asking(({ args, config, dialogue }) =>
  Effect.gen(function* () {
    const { reports } = yield* listExtensions(config)
    if (args.words.length === 0 && !args.has("all")) return yield* usageOf("extensions update", "<names...>|--all")
    const wanted = args.has("all")
      ? reports.map(({ extension }) => extension)
      : yield* Effect.forEach(args.words, (name) => findInstalled(name, config))
    const results: Array<Updated> = []
    for (const extension of wanted) results.push(yield* update(extension, config, dialogue))
    const isChanged = results.some(({ state }) => state === "updated")
    if (isChanged && reloads(config)) return { _tag: "Reconfigure", told: results.map(updatedText).join("\n") } as const
    const told = results.map(
      (result): Updated => (result.state === "updated" ? { ...result, state: "updated, needs restart" } : result)
    )
    return print(told.length === 0 ? "No extensions to update." : told.map(updatedText).join("\n"), told)
  })
)

const reload = asking(({ args, config }) =>
  Effect.gen(function* () {
    yield* Effect.forEach(args.words, (name) => findInstalled(name, config), { discard: true })
    return { _tag: "Reconfigure", told: "The extensions are read again." } as const
  })
)

const reloads = ({ settings }: ExtensionConfig): boolean => settings.get("experimental.extensionReloading")

/** Exists while sessions may be built anew; otherwise says where the same can be done. */
const reloading = (verb: string, handler: Handler) =>
  asking((call) =>
    reloads(call.config)
      ? handler(call)
      : new CommandError({
          kind: "failed",
          detail: `/extensions ${verb} needs the setting experimental.extensionReloading.`,
          advice: `Outside of a conversation: gemini extensions ${verb}.`
        })
  )

const turn = (verb: "enable" | "disable") =>
  reloading(verb, ({ args, config }) =>
    Effect.gen(function* () {
      const isOn = verb === "enable"
      const scope = args.value("scope") ?? (isOn ? "all" : "user")
      if (args.text === "" || !["user", "workspace", "session", isOn ? "all" : "user"].includes(scope)) {
        return yield* usageOf(`extensions ${verb}`, SCOPE_USAGE)
      }
      const extension = yield* findInstalled(args.text, config)
      const { session } = yield* Extensions
      if (scope === "session") yield* Ref.update(session, (all) => new Map(all).set(extension.name, isOn))
      else if (scope === "all") yield* turnOnEverywhere(extension, config)
      else yield* (isOn ? turnOn : turnOff)(extension, scope === "user" ? "user" : "workspace", config)
      const told = `Extension "${extension.name}" ${verb}d ${scope === "all" ? "in all scopes" : `for scope "${scope}"`}.`
      const note = isOn ? undefined : notCovered(scope, config)
      return { _tag: "Reconfigure", told: note === undefined ? told : `${told}\n${note}` } as const
    })
  )

const bring = (verb: "install" | "link", usage: string) =>
  reloading(verb, ({ args, config, dialogue }) =>
    Effect.gen(function* () {
      if (args.text === "") return yield* usageOf(`extensions ${verb}`, usage)
      const extension = yield* install(
        {
          source: args.text,
          ref: args.value("ref"),
          autoUpdate: args.has("auto-update"),
          allowPreRelease: args.has("pre-release"),
          isLink: verb === "link",
          hasConsent: args.has("consent"),
          skipSettings: args.has("skip-settings")
        },
        config,
        dialogue
      )
      return { _tag: "Reconfigure", told: `Extension "${extension.name}" ${verb}ed successfully and enabled.` } as const
    })
  )

const remove = reloading("uninstall", ({ args, config }) =>
  Effect.gen(function* () {
    if (args.text === "") return yield* usageOf("extensions uninstall", "<name>")
    const extension = yield* findRemovable(args.text, config)
    yield* uninstall(extension, config)
    return { _tag: "Reconfigure", told: `Extension "${extension.name}" successfully uninstalled.` } as const
  })
)

const config = reloading("config", ({ args, config: place, dialogue }) =>
  Effect.gen(function* () {
    const [name, ...setting] = args.words
    const scope = args.value("scope") === "workspace" ? "workspace" : "user"
    const wish = { name, setting: setting.length === 0 ? undefined : setting.join(" "), scope } as const
    const changed = yield* configure(wish, place, dialogue)
    if (changed.length === 0) return print("Nothing was changed.", [])
    return { _tag: "Reconfigure", told: changed.map((one) => `${one.extension}: ${one.setting} is set.`).join("\n") }
  })
)

const names = Effect.fnUntraced(function* (typed: string) {
  const { enabled } = yield* Extensions
  const candidates = enabled.filter(({ name }) => name.startsWith(typed)).map(({ name }) => ({ value: name }))
  return { from: 0, candidates }
})

const verb = (name: string, description: string, usage: string, run: Command<Services>["run"]): Command<Services> =>
  slash<Services>({ name, description, usage, complete: names, ...(run === undefined ? {} : { run }) })

const INSTALL_USAGE = "<source> [--ref R] [--auto-update] [--pre-release] [--consent] [--skip-settings]"
const SCOPE_USAGE = "<name> [--scope user|workspace|session]"

export const extensions = slash<Services>({
  name: "extensions",
  description: "Extensions and their state",
  run: list,
  subcommands: [
    slash<Services>({ name: "list", description: "What is installed", run: list }),
    verb("update", "Take newer versions", "<names...>|--all", updates),
    { ...verb("reload", "Read extensions again", "<names...>|--all", reload), aliases: ["restart"] },
    verb("enable", "Turn one on", SCOPE_USAGE, turn("enable")),
    verb("disable", "Turn one off", SCOPE_USAGE, turn("disable")),
    verb("install", "Install from a URL or a folder", INSTALL_USAGE, bring("install", INSTALL_USAGE)),
    verb("link", "Use a folder in place", "<path> [--consent]", bring("link", "<path> [--consent]")),
    { ...verb("uninstall", "Remove one", "<name>", remove), aliases: ["delete"] },
    verb("config", "Ask for settings", "[name] [setting] [--scope user|workspace]", config),
    slash<Services>({
      name: "explore",
      description: "Where to find extensions",
      usage: "[words]",
      run: asking(({ args, config: place }) => explore(place, args.words))
    })
  ]
})

const PAGE = "https://geminicli.com/extensions/"
/** More is not read; a word narrows it down. */
const MAX_SHOWN = 30

/** The page that lists extensions of others, or the list that the settings name, as text. */
const explore = Effect.fnUntraced(function* (
  config: ExtensionConfig,
  words: ReadonlyArray<string>
): Effect.fn.Return<CommandResult, ExtensionError> {
  const place = registryPlace(config)
  if (place === undefined) {
    return { _tag: "OpenUrl", url: PAGE, told: "Extensions of others are listed here:" }
  }
  const found = yield* exploreRegistry(place, words, config)
  const lines = found
    .slice(0, MAX_SHOWN)
    .flatMap(({ description, name, source, version }) => [
      `${visibleLine(name)} ${visibleLine(version)}`.trimEnd(),
      ...(description === "" ? [] : [`  ${visibleLine(description)}`]),
      `  gemini extensions install ${visibleLine(source)}`
    ])
  const rest = found.length - MAX_SHOWN
  const more = rest > 0 ? [`and ${rest} more: /extensions explore <words> narrows it down`] : []
  const none = words.length === 0 ? "The list is empty." : "Nothing in the list has these words."
  return print(found.length === 0 ? none : [...lines, ...more].join("\n"), found)
})
