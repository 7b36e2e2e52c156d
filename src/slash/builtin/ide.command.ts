/** `/ide`: the companion of the editor whose terminal this is. */
import { Effect, Schedule } from "effect"
import { storeSetting } from "../../config/edit-settings.ts"
import { Environment } from "../../config/environment.ts"
import { Storage } from "../../config/storage.ts"
import type { EditorContext } from "../../ide/editor-context.ts"
import { type CompanionStatus, IdeCompanion } from "../../ide/ide-companion.ts"
import { lazy } from "../../kernel/lazy.ts"
import { print, slash } from "../command.ts"
import { CommandError, failed } from "../command-error.ts"

type Services = IdeCompanion | Environment | Storage

const show = Effect.fnUntraced(function* () {
  const companion = yield* IdeCompanion
  const status = yield* companion.status
  const context = yield* companion.known
  return print([statusLine(status), ...fileLines(context)].join("\n"), { ...status, ...context })
})

const statusLine = (status: CompanionStatus): string => {
  switch (status._tag) {
    case "Connected":
      return `🟢 Connected to ${status.name}`
    case "Connecting":
      return "🟡 Connecting..."
    case "Disconnected":
      return `🔴 Disconnected: ${status.reason}`
  }
}

const fileLines = (context: EditorContext | undefined): ReadonlyArray<string> => {
  if (context === undefined) return []
  const { active, others } = context
  const files = [...(active === undefined ? [] : [`${active.path} (active)`]), ...others]
  return files.length === 0 ? [] : ["Open files:", ...files.map((file) => `  ${file}`)]
}

const store = Effect.fnUntraced(function* (isOn: boolean) {
  const { userSettingsFile } = yield* Storage
  const target = { scope: "user", file: userSettingsFile } as const
  yield* Effect.mapError(storeSetting(target, { key: "ide.enabled", inside: [] }, isOn), failed)
})

const enable = Effect.fnUntraced(function* () {
  const companion = yield* IdeCompanion
  yield* store(true)
  const status = yield* companion.connect
  return print(`ide.enabled is true.\n${statusLine(status)}`, status)
})

const disable = Effect.fnUntraced(function* () {
  const companion = yield* IdeCompanion
  yield* store(false)
  yield* companion.disconnect
  return print("ide.enabled is false; the editor is not asked any more.")
})

/** A companion that was just installed takes a moment to start. */
const UNTIL_STARTED = Schedule.intersect(Schedule.recurs(9), Schedule.spaced("1 second"))

const install = Effect.fnUntraced(function* () {
  const companion = yield* IdeCompanion
  const environment = yield* Environment
  const { installCompanion } = yield* lazy(() => import("../../ide/install-companion.ts"))
  const name = yield* installCompanion(environment).pipe(
    Effect.mapError(({ message }) => new CommandError({ kind: "failed", detail: message }))
  )
  yield* store(true)
  const status = yield* Effect.repeat(companion.connect, {
    schedule: UNTIL_STARTED,
    until: ({ _tag }) => _tag === "Connected"
  }).pipe(Effect.zipRight(companion.status))
  return print(`The companion is installed in ${name}, and ide.enabled is true.\n${statusLine(status)}`, status)
})

export const ide = slash<Services>({
  name: "ide",
  description: "The connection to your editor",
  isConcurrent: true,
  run: show,
  subcommands: [
    slash<Services>({ name: "status", description: "Whether there is one, and which files are open", run: show }),
    slash<Services>({ name: "enable", description: "Connect, now and from now on", run: enable }),
    slash<Services>({ name: "disable", description: "Disconnect, now and from now on", run: disable }),
    slash<Services>({ name: "install", description: "Install the companion into your editor", run: install })
  ]
})
