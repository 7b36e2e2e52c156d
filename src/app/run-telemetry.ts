/**
 * Telemetry joined to a run: who records, and what is listened to. Off, which is the default, nothing of it is loaded,
 * and every service stays as it is.
 */
import { Effect, type Scope } from "effect"
import type { AuthPlan } from "../auth/auth-plan.ts"
import type { Extensions } from "../extensions/extensions.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { ModelClient } from "../model/model-client.ts"
import type { Policy } from "../policy/policy.ts"
import type { AuthType } from "../protocol/modes.ts"
import type { SessionRecorder } from "../session/session-recorder.ts"
import type { SessionFacts } from "../slash/session-facts.ts"
import { off, type Recording } from "../telemetry/telemetry.ts"
import type { ToolRegistry } from "../tools/registry.ts"
import type { AppInput } from "./app.ts"

export const telemetry = (
  input: AppInput,
  source: { readonly authType: AuthType; readonly secrets: ReadonlyArray<Secret> }
) =>
  isTelling(input)
    ? Effect.flatMap(
        Effect.promise(() => import("./start-telemetry.ts")),
        ({ startTelemetry }) => startTelemetry(input, source)
      )
    : Effect.succeed(off)

const isTelling = ({ plan }: Pick<AppInput, "plan">): boolean =>
  plan.telemetry !== undefined || plan.usageEndpoint !== undefined

/** What is told about a session at its beginning. */
export type StartFacts = Pick<AppInput, "facts" | "options" | "config" | "plan" | "format">

/** There is somebody to talk to: the session is told about from here on. */
export const endStart = (input: StartFacts): Effect.Effect<void, never, Extensions | SessionFacts | ToolRegistry> =>
  Effect.suspend(() => {
    const isFirst = input.facts.profile.ready({ keepsChunks: input.options.profile })
    if (!isTelling(input)) return Effect.void
    return Effect.flatMap(
      Effect.promise(() => import("./tell-start.ts")),
      ({ tellStart }) => tellStart(input, { isFirst })
    )
  })

/** Below the retries: each attempt is a request. */
export const toldClient = (
  input: AppInput,
  client: ModelClient["Type"],
  auth: AuthPlan | undefined
): Effect.Effect<ModelClient["Type"]> =>
  isTelling(input)
    ? Effect.map(
        Effect.promise(() => import("../model/with-telemetry.ts")),
        ({ withTelemetry }) => withTelemetry(client, auth)
      )
    : Effect.succeed(client)

/** Whatever the recorder of the session is told, telemetry is told too. */
export const toldRecorder = <E, R>(input: AppInput, make: Effect.Effect<SessionRecorder["Type"], E, R>) =>
  isTelling(input)
    ? Effect.flatMap(
        Effect.promise(() => import("./told-recorder.ts")),
        ({ told }) => Effect.flatMap(make, (recorder) => told(recorder, input))
      )
    : make

/** Approval modes, and how long each was on. */
export const toldPolicy = <P extends Policy["Type"], E, R>(input: AppInput, make: Effect.Effect<P, E, R>) =>
  isTelling(input)
    ? Effect.flatMap(
        Effect.promise(() => import("./told-policy.ts")),
        ({ told }) => Effect.flatMap(make, told)
      )
    : make

/** Everything but telemetry ends before it does, and it tells when that did not go well. */
export const toldEnd =
  (to: Recording) =>
  <A, E, R>(services: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope.Scope> =>
    to.level === undefined
      ? services
      : Effect.flatMap(
          Effect.promise(() => import("./told-end.ts")),
          ({ told }) => told(to, services)
        )

/** Somebody types; `typed` ends when that happens. */
export const watchTyping = (input: Pick<AppInput, "plan">, typed: Effect.Effect<void>) =>
  isTelling(input)
    ? Effect.flatMap(
        Effect.promise(() => import("./watch-typing.ts")),
        ({ watch }) => watch(typed)
      )
    : Effect.void
