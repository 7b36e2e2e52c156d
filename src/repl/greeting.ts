/** What a conversation at the terminal says at its beginning, before the first line, and at its end. */

import { Effect } from "effect"
import type { CodeAssistAccount } from "../auth/google/account.ts"
import { SessionStats } from "../chat/stats/session-stats.ts"
import { controlsInForce, managedAt } from "../config/administrator.ts"
import type { LoadedConfig } from "../config/load.ts"
import { Extensions } from "../extensions/extensions.ts"
import { lazy } from "../kernel/lazy.ts"
import { version } from "../kernel/version.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import { sandboxLine } from "../protocol/sandbox-report.ts"
import { Sandbox } from "../sandbox/sandbox.ts"
import { SessionRecorder } from "../session/record/session-recorder.ts"
import { CommandRegistry } from "../slash/command-registry.ts"
import { SessionFacts } from "../slash/session-facts.ts"
import { farewell } from "../slash/stats/session-stats-text.ts"
import { LineEditor } from "./editor/line-editor.ts"
import { bannerLines } from "./render/banner.ts"
import { paintWith } from "./render/paint.ts"
import { Screen } from "./terminal/screen.ts"
import { compatibilityWarnings } from "./terminal/terminal-features.ts"

type Notice = (line: string) => Effect.Effect<void>

export interface Greeting {
  readonly config: LoadedConfig
  readonly approvalMode: ApprovalMode
  readonly model: string
  /** Of what was planned, and of the session that goes on. */
  readonly notices: ReadonlyArray<string>
  /** The first prompt came as plain words. */
  readonly fromWords: boolean
}

/** What the person should know before the first line. */
export const greet = Effect.fnUntraced(function* (greeting: Greeting, notice: Notice) {
  const { config } = greeting
  const screen = yield* Screen
  const editor = yield* LineEditor
  yield* editor.setViKeys(config.settings.get("general.vimMode"))
  const { account } = yield* SessionFacts
  const notices = [...noticesOf(greeting), ...serverNotices(account)]
  yield* Effect.forEach(notices, notice, { discard: true })
  const sandbox = yield* Effect.flatMap(Sandbox, ({ report }) => report)
  if (sandbox !== undefined) yield* notice(sandboxLine(sandbox))
  yield* screen.print(yield* banner(greeting, account))
  // Commands are read from files: nobody has to wait for that before typing.
  yield* Effect.forkScoped(reportCommands(notice))
  yield* Effect.forkScoped(updateExtensions(config, notice))
})

/** What the server of the account wants everybody to know. */
const serverNotices = (account: CodeAssistAccount | undefined): ReadonlyArray<string> => {
  const { bannerText, capacityText } = account?.flags ?? {}
  if (capacityText !== undefined) return [`[WARNING] ${capacityText}`]
  return bannerText === undefined ? [] : [`[INFO] ${bannerText}`]
}

const banner = (
  { approvalMode, config: { environment, settings, trust }, model }: Greeting,
  account: CodeAssistAccount | undefined
) =>
  Effect.gen(function* () {
    const { columns, style } = yield* Screen
    const facts = {
      version,
      model,
      folder: environment.cwd,
      home: environment.home,
      trust: trust.trust,
      mode: approvalMode,
      isHidden: settings.get("ui.hideBanner"),
      ...(account === undefined || !settings.get("ui.showUserIdentity")
        ? {}
        : { account: { ...account, tier: account.tierName ?? account.tier } })
    }
    const lines = bannerLines(facts, { columns: yield* columns, unicode: style.unicode, paint: paintWith(style) })
    return lines.join("\n")
  })

/** In the background, and only those that are to be kept up to date. */
const updateExtensions = Effect.fnUntraced(function* (config: LoadedConfig, notice: Notice) {
  const { enabled } = yield* Extensions
  if (enabled.every(({ autoUpdates }) => !autoUpdates)) return
  const { autoUpdate } = yield* lazy(() => import("../extensions/auto-update.ts"))
  yield* autoUpdate(config, notice)
})

const reportCommands = Effect.fnUntraced(function* (notice: Notice) {
  const registry = yield* CommandRegistry
  yield* Effect.forEach(yield* registry.notices, notice, { discard: true })
})

const noticesOf = ({ config: { environment, settings }, fromWords, notices }: Greeting) => [
  ...settings.warnings.map((warning) => `[WARNING] ${warning}`),
  ...notices,
  ...administratorNotices(settings),
  ...(environment.cwd === environment.home && settings.get("ui.showHomeDirectoryWarning")
    ? ["[WARNING] this is your home folder: everything in it is within reach. A project folder is safer and faster."]
    : []),
  ...(settings.get("ui.showCompatibilityWarnings") ? compatibilityWarnings(environment) : []),
  ...(fromWords ? ['[INFO] words begin a conversation; gemini -p "..." answers once and ends'] : [])
]

const administratorNotices = (settings: LoadedConfig["settings"]): ReadonlyArray<string> => {
  const controls = controlsInForce(settings)
  return controls.length === 0
    ? []
    : [`[INFO] your administrator decided: ${controls.join("; ")} (${managedAt(settings)})`]
}

/** What the session took, and how to go on with it; nothing when nothing was asked. */
export const sayFarewell = Effect.fnUntraced(function* ({ deletesSession }: { readonly deletesSession: boolean }) {
  const screen = yield* Screen
  const stats = yield* SessionStats
  const recorder = yield* SessionRecorder
  const words = farewell(yield* stats.current)
  if (words !== "") yield* screen.print(words)
  if (deletesSession || (yield* recorder.file) === undefined) return
  const { sessionId } = yield* recorder.session
  yield* screen.print(`To go on with this conversation: gemini --resume ${handle(sessionId)}`)
})

/** The beginning of an id that was made up is enough; one that a person chose may begin like another. */
const handle = (sessionId: string): string =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sessionId) ? sessionId.slice(0, 8) : sessionId
