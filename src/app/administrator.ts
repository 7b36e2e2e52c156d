/**
 * The administrator's say: it is asked before anything is planned or loaded, for it decides what may be. Only a sign-in with
 * an organisation has one; every other run goes on as it is, and loads nothing for it.
 */
import { Duration, Effect, Option, Schedule } from "effect"
import type { CodeAssistAccount } from "../auth/google/account.ts"
import { type AdminControls, isSameControls, managedAt, underAdministrator } from "../config/administrator.ts"
import type { LoadedConfig } from "../config/load.ts"
import { lazy } from "../kernel/lazy.ts"
import { type AccessFacts, accountOf } from "../model/model-access.ts"
import { Stderr } from "../output/stderr.ts"

export interface Administered {
  readonly config: LoadedConfig
  /** Opened on the way; absent where nobody signs in. */
  readonly account: CodeAssistAccount | undefined
  /** Runs as long as a conversation does; tells once that something changed. */
  readonly watch: Effect.Effect<void, never, Stderr>
}

type Asked = Pick<AccessFacts, "authType" | "fakeResponses" | "fakeResponsesNonStrict" | "replay" | "isDemo">

const loadControls = lazy(() => import("../auth/google/admin-controls.ts"))

export const administered = Effect.fn("App.administered")(function* (config: LoadedConfig, facts: Asked) {
  const { notice } = yield* Stderr
  const account = yield* accountOf(config, facts, (line) => notice(`[INFO] ${line}`))
  const alone: Administered = { config, account, watch: Effect.void }
  if (account === undefined) return alone
  const { fetchAdminControls, isAdministered, isAdministeredNow } = yield* loadControls
  const controls = isAdministered(account)
    ? yield* Effect.matchEffect(fetchAdminControls(account), {
        onFailure: ({ detail }) =>
          Effect.as(
            notice(`[WARNING] what the administrator of ${account.project} decided could not be asked: ${detail}`),
            Option.none<AdminControls | undefined>()
          ),
        onSuccess: (found) => Effect.succeed(Option.some(found))
      })
    : Option.none<AdminControls | undefined>()
  const known = Option.getOrUndefined(controls)
  // An account that has no administrator yet may get one.
  const asked = Effect.flatMap(isAdministeredNow(account), (is) =>
    is ? fetchAdminControls(account) : Effect.succeed(undefined)
  )
  return {
    config: known === undefined ? config : underAdministrator(config, known, account.project),
    account,
    watch: watchControls(
      Effect.mapError(asked, () => undefined),
      known,
      config
    )
  } satisfies Administered as Administered
})

const EVERY = Duration.minutes(5)

/** What cannot be asked now is asked the next time. */
export const watchControls = <E>(
  ask: Effect.Effect<AdminControls | undefined, E>,
  began: AdminControls | undefined,
  { settings }: Pick<LoadedConfig, "settings">
) =>
  Effect.option(ask).pipe(
    Effect.delay(EVERY),
    Effect.repeat(
      Schedule.recurUntil<Option.Option<AdminControls | undefined>>(
        (found) => Option.isSome(found) && !isSameControls(found.value, began)
      )
    ),
    Effect.zipRight(
      Effect.flatMap(Stderr, ({ notice }) =>
        notice(`[WARNING] your administrator changed what may be used: restart gemini (${managedAt(settings)})`)
      )
    )
  )
