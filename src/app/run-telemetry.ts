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
  return isTelling(input)
    ? Effect.flatMap(
        Effect.promise(() => import("./start-telemetry.ts")),
        ({ startTelemetry }) => startTelemetry(input, source)
      )
    : Effect.succeed(off)
}

const isTelling = ({ plan }: AppInput): boolean => plan.telemetry !== undefined || plan.usageEndpoint !== undefined

/** Below the retries: each attempt is a request. */
export const toldClient = (
  input: AppInput,
  client: ModelClient["Type"],
  authType: AuthType | undefined
): Effect.Effect<ModelClient["Type"]> =>
  isTelling(input)
    ? Effect.map(
        Effect.promise(() => import("./told-client.ts")),
        ({ told }) => told(client, authType, input.config.environment.get)
      )
    : Effect.succeed(client)

/** Whatever the recorder of the session is told, telemetry is told too. */
export const toldRecorder = <E, R>(input: AppInput, make: Effect.Effect<SessionRecorder["Type"], E, R>) => {
  if (!isTelling(input)) return make
  return Effect.gen(function* () {
    const recorder = yield* make
    const to = yield* Telemetry
    const facts = { approvalMode: input.plan.approvalMode, logPrompts: to.level?.logPrompts ?? false }
    const { beginning, readEnd, readEvent } = yield* Effect.promise(() => import("../telemetry/from-events.ts"))
    const { record } = yield* Effect.promise(() => import("../telemetry/signal.ts"))
    const state = yield* Ref.make(beginning)
    const told: SessionRecorder["Type"] = {
      ...recorder,
      onEvent: (event) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          // In one step: sub-agents tell of themselves side by side.
          const signals = yield* Ref.modify(state, (before) => {
            const [next, read] = readEvent(before, event, at, facts)
            return [read, next]
          })
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
