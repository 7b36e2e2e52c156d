/**
 * Telemetry joined to a run: who records, and what is listened to. Off, which is the default, nothing of it is loaded,
 * and every service stays as it is.
 */
import { Clock, Effect, Ref } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { ModelClient } from "../model/model-client.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { SessionRecorder } from "../session/session-recorder.ts"
import { off, Telemetry } from "../telemetry/telemetry.ts"
import type { AppInput } from "./app.ts"

export const telemetry = (
  input: AppInput,
  source: { readonly authType: AuthType; readonly secrets: ReadonlyArray<Secret> }
) => {
  const { telemetry: plan } = input.plan
  return plan === undefined
    ? Effect.succeed(off)
    : Effect.flatMap(
        Effect.promise(() => import("./start-telemetry.ts")),
        ({ startTelemetry }) => startTelemetry(input, plan, source)
      )
}

/** Below the retries: each attempt is a request. */
export const toldClient = (
  { config: { environment }, plan }: AppInput,
  client: ModelClient["Type"],
  authType: AuthType | undefined
): Effect.Effect<ModelClient["Type"]> =>
  plan.telemetry === undefined
    ? Effect.succeed(client)
    : Effect.map(
        Effect.promise(() => import("./told-client.ts")),
        ({ told }) => told(client, authType, environment.get)
      )

/** Whatever the recorder of the session is told, telemetry is told too. */
export const toldRecorder = <E, R>({ plan }: AppInput, make: Effect.Effect<SessionRecorder["Type"], E, R>) => {
  const { approvalMode, telemetry: isOn } = plan
  if (isOn === undefined) return make
  return Effect.gen(function* () {
    const recorder = yield* make
    const to = yield* Telemetry
    const facts = { approvalMode, logPrompts: isOn.logPrompts }
    const { beginning, readEnd, readEvent } = yield* Effect.promise(() => import("../telemetry/from-events.ts"))
    const { record } = yield* Effect.promise(() => import("../telemetry/signal.ts"))
    const state = yield* Ref.make(beginning)
    const told: SessionRecorder["Type"] = {
      ...recorder,
      onEvent: (event) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const [next, signals] = readEvent(yield* Ref.get(state), event, at, facts)
          yield* Ref.set(state, next)
          yield* record(to, signals)
          yield* recorder.onEvent(event)
        }),
      onEnd: (end) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          yield* record(to, readEnd(yield* Ref.get(state), end._tag, at, facts))
          yield* recorder.onEnd(end)
        })
    }
    return told
  })
}
