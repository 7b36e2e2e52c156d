/** The companion of a run: looked for where the person wants it, heard about the folder, and known to those who use it. */
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { effectLayer, service, withLayer } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { Policy } from "../policy/policy.ts"
import { Notices } from "../protocol/notices.ts"
import { logEvent } from "../telemetry/telemetry.ts"
import { type CompanionView, IdeCompanion, none } from "./ide-companion.ts"

export interface CompanionFacts {
  readonly platform: NodeJS.Platform
  /** `--ide-mode` */
  readonly ideMode: boolean
  /** Of the process itself. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A person can turn it on later. */
  readonly canBeTurnedOn: boolean
}

/** Looked for in the background from here on; belongs to the scope. */
export const companionOf = Effect.fnUntraced(function* (
  { environment, settings }: LoadedConfig,
  { canBeTurnedOn, ideMode, ...facts }: CompanionFacts
) {
  const isEnabled = ideMode || settings.get("ide.enabled")
  if (!isEnabled && !canBeTurnedOn) return none
  const { makeCompanion } = yield* lazy(() => import("./ide-companion-layer.ts"))
  return yield* makeCompanion({ ...facts, cwd: environment.cwd, isEnabled })
})

/** What the editor says about the folder, where that counts and is something else than what counts now. */
export const editorTrust = ({ trust }: LoadedConfig, companion: CompanionView) =>
  takesEditorsWord(trust)
    ? Effect.map(companion.trust, (isTrusted) =>
        isTrusted === (trust.trust === "trusted") && trust.reason !== "no-rule" ? undefined : isTrusted
      )
    : Effect.succeed(undefined)

const takesEditorsWord = ({ reason }: LoadedConfig["trust"]): boolean =>
  reason === "rule" || reason === "no-rule" || reason === "editor"

export interface IdeFacts {
  /** `undefined`: none is looked for. */
  readonly companion: CompanionView | undefined
}

export const layer = (config: LoadedConfig, { companion = none }: IdeFacts) =>
  companion === none
    ? service(IdeCompanion, Effect.succeed(none))
    : service(IdeCompanion, Effect.succeed(companion)).pipe(
        withLayer(effectLayer(Effect.forkScoped(tellEvents(companion)))),
        withLayer(effectLayer(Effect.forkScoped(followTrust(config, companion))))
      )

const tellEvents = ({ happened }: CompanionView) =>
  Effect.forever(
    Effect.gen(function* () {
      const event = yield* happened
      const { info } = yield* Notices
      yield* event._tag === "Lost"
        ? info(`the connection to ${event.name} was lost; going on without it`)
        : logEvent("gemini_cli.ide_connection", `Editor connected: ${event.when}.`, { connection_type: event.when })
    })
  )

/** Less trust counts at once; more trust brings settings and programs, which takes a new start. */
const followTrust = Effect.fnUntraced(function* ({ trust }: LoadedConfig, companion: CompanionView) {
  if (!takesEditorsWord(trust)) return
  const policy = yield* Policy
  const notices = yield* Notices
  const isTrusted = yield* companion.trustChanged(trust.trust === "trusted")
  if (isTrusted) {
    return yield* notices.info("your editor trusts this folder now; start gemini anew to work in it as trusted")
  }
  yield* policy.distrust
  yield* notices.warn(
    "your editor does not trust this folder any more: edits and commands are asked about; start gemini anew to leave out what the folder brings"
  )
})
