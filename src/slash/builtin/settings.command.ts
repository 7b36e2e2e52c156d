/** `/settings`: what is set, where, and changing it. Settings are read at start, so a change builds the session anew. */
import { Effect, Either } from "effect"
import { readForEdit, storeSetting } from "../../config/edit-settings.ts"
import { Environment } from "../../config/environment.ts"
import { readArgument } from "../../config/setting-argument.ts"
import { parseSettingPath } from "../../config/setting-path.ts"
import { settingKeys } from "../../config/setting-table.ts"
import { isSet, shownSetting } from "../../config/setting-variables.ts"
import { Settings } from "../../config/settings.ts"
import type { SettingsFile } from "../../config/settings-files.ts"
import { explanationDocument, explanationLines, listLine } from "../../config/settings-report.ts"
import { Storage } from "../../config/storage.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"
import { completeWord } from "../complete-line.ts"

type Services = Settings | Storage | Environment
const USAGE = "<key> <value> [--scope user|workspace]"

const complete = (typed: string) =>
  Effect.succeed(
    completeWord(
      typed,
      settingKeys().map((value) => ({ value }))
    )
  )

export const settings = slash<Services>({
  name: "settings",
  description: "What is set and where; with a name, all about it",
  usage: "[key]",
  complete,
  run: Effect.fnUntraced(function* ({ args }) {
    const { get } = yield* Environment
    const all = (yield* Settings).all().map((one) => shownSetting(one, get))
    if (args === "") {
      const set = all.filter(isSet)
      const text = set.length === 0 ? "Nothing is set: all defaults apply." : set.map(listLine).join("\n")
      return print(text, set.map(explanationDocument))
    }
    const exact = all.filter(({ key }) => key === args)
    const found = exact.length > 0 ? exact : all.filter(({ key }) => key.toLowerCase().includes(args.toLowerCase()))
    if (found.length === 0) return yield* new CommandError({ kind: "usage", detail: `There is no setting ${args}.` })
    const lines = found.length === 1 ? found.flatMap(explanationLines) : found.map(listLine)
    return print(lines.join("\n"), found.map(explanationDocument))
  }),
  subcommands: [
    slash<Services>({
      name: "set",
      description: "Change a setting in the file of the user or of the project",
      usage: USAGE,
      complete,
      run: Effect.fnUntraced(function* ({ args }) {
        const [, scope = "user"] = /(?:^|\s)--scope[= ](\S+)/.exec(args) ?? []
        const [, key, text] = /^(\S+)\s+(.+)$/.exec(args.replace(/(^|\s)--scope[= ]\S+/, "").trim()) ?? []
        if (key === undefined || text === undefined || !(scope === "user" || scope === "workspace")) {
          return yield* usageOf("settings set", USAGE)
        }
        return yield* change(key, text, scope)
      })
    })
  ]
})

const change = Effect.fnUntraced(function* (name: string, text: string, scope: "user" | "workspace") {
  const storage = yield* Storage
  const { get } = yield* Environment
  const path = parseSettingPath(name)
  if (Either.isLeft(path)) {
    const advice = path.left.length === 0 ? {} : { advice: `Did you mean ${path.left.join(", ")}?` }
    return yield* new CommandError({ kind: "usage", detail: `There is no setting ${name}.`, ...advice })
  }
  const file = scope === "user" ? storage.userSettingsFile : storage.projectSettingsFile
  const target: SettingsFile = { scope, file }
  const { document } = yield* Effect.mapError(readForEdit(target), failed)
  const present = document.entries.get(path.right.key)?.value
  const value = readArgument({ path: path.right, text, present, lookup: get })
  if (Either.isLeft(value)) return yield* new CommandError({ kind: "usage", detail: `${name}: ${value.left}.` })
  const isChanged = yield* Effect.mapError(storeSetting(target, path.right, value.right), failed)
  return (isChanged
    ? { _tag: "Reconfigure", told: `${name} is set in ${file}.` }
    : print(`${file}: nothing to change.`)) satisfies CommandResult as CommandResult
})
