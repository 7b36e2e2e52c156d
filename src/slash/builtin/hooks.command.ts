/** `/hooks`: which hooks there are, and switching them off and on. A change counts at once and is kept in the user's settings. */
import { Effect } from "effect"
import { readForEdit, storeSetting } from "../../config/edit-settings.ts"
import type { SettingsFile } from "../../config/settings-files.ts"
import { Storage } from "../../config/storage.ts"
import { nameOf } from "../../hooks/hook.ts"
import { type HookStatus, Hooks } from "../../hooks/hooks.ts"
import { hookDocuments, hookLines } from "../../hooks/listing.ts"
import { type CommandCandidate, print, slash } from "../command.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"

const list = Effect.fnUntraced(function* () {
  const hooks = yield* Hooks
  const all = yield* hooks.list
  return all.length === 0 ? print("No hooks are configured.", []) : print(hookLines(all).join("\n"), hookDocuments(all))
})

const DISABLED = { key: "hooksConfig.disabled", inside: [] } as const

/** A project has no say in this: it would switch off hooks that guard the user. */
const changeDisabled = Effect.fnUntraced(function* (change: (names: ReadonlyArray<string>) => ReadonlyArray<string>) {
  const { userSettingsFile } = yield* Storage
  const target: SettingsFile = { scope: "user", file: userSettingsFile }
  const { document } = yield* readForEdit(target)
  const value = document.entries.get(DISABLED.key)?.value
  const before = Array.isArray(value) ? value.filter((name) => typeof name === "string") : []
  const after = change(before)
  if (after.length !== before.length) yield* storeSetting(target, DISABLED, after)
}, Effect.mapError(failed))

/** Those that are off from now on. */
const turn = Effect.fnUntraced(function* (names: ReadonlySet<string>, isOn: boolean) {
  const hooks = yield* Hooks
  yield* changeDisabled((before) =>
    isOn
      ? before.filter((name) => !names.has(name))
      : [...before, ...[...names].filter((name) => !before.includes(name))]
  )
  const off = (yield* hooks.list).filter(({ isEnabled }) => !isEnabled).map(({ hook }) => nameOf(hook))
  yield* hooks.setDisabled(new Set(isOn ? off.filter((name) => !names.has(name)) : [...off, ...names]))
  return yield* list()
})

const named = (all: ReadonlyArray<HookStatus>, name: string) => all.filter(({ hook }) => nameOf(hook) === name)

const one = (verb: "enable" | "disable", description: string) =>
  slash({
    name: verb,
    description,
    usage: "<name>",
    complete: (typed: string) =>
      Effect.gen(function* () {
        const hooks = yield* Hooks
        const names = new Set((yield* hooks.list).map(({ hook }) => nameOf(hook)))
        const candidates: ReadonlyArray<CommandCandidate> = [...names]
          .filter((name) => name.startsWith(typed))
          .map((value) => ({ value }))
        return { from: 0, candidates }
      }),
    run: Effect.fnUntraced(function* ({ args }) {
      const hooks = yield* Hooks
      if (args === "") return yield* usageOf(`hooks ${verb}`, "<name>")
      if (named(yield* hooks.list, args).length === 0) {
        return yield* new CommandError({
          kind: "usage",
          detail: `There is no hook ${args}.`,
          advice: "/hooks shows what they are called."
        })
      }
      return yield* turn(new Set([args]), verb === "enable")
    })
  })

const all = (verb: "enable" | "disable", description: string) =>
  slash({
    name: `${verb}-all`,
    description,
    run: Effect.fnUntraced(function* () {
      const hooks = yield* Hooks
      const names = new Set((yield* hooks.list).map(({ hook }) => nameOf(hook)))
      return yield* turn(names, verb === "enable")
    })
  })

export const hooks = slash({
  name: "hooks",
  description: "Programs that run at points of the agent's work",
  run: list,
  subcommands: [
    slash({ name: "panel", aliases: ["list", "show"], description: "All hooks and their state", run: list }),
    one("enable", "Turn a hook on"),
    one("disable", "Turn a hook off"),
    all("enable", "Turn all hooks on"),
    all("disable", "Turn all hooks off")
  ]
})
