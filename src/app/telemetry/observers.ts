/**
 * Telemetry joined to a run: who records, and what is listened to. Off, which is the default, nothing of it is loaded,
 * and every service stays as it is.
 */
import { Effect, Exit, type Layer, Scope } from "effect"
import type { Extensions } from "../../extensions/extensions.ts"
import { aroundLayer, service } from "../../kernel/layers.ts"
import { lazy } from "../../kernel/lazy.ts"
import type { ModelAccess } from "../../model/model-access.ts"
import type { Policy } from "../../policy/policy.ts"
import type { RunReader } from "../../protocol/run-readers.ts"
import type { SessionFacts } from "../../slash/session-facts.ts"
import { off, type Recording, Telemetry } from "../../telemetry/telemetry.ts"
import type { ToolRegistry } from "../../tools/registry.ts"
import type { AppInput } from "../facts.ts"

export const telemetry = (input: AppInput) =>
  service(
    Telemetry,
    isOn(input)
      ? Effect.flatMap(
          lazy(() => import("./start.ts")),
          ({ startTelemetry }) => startTelemetry(input)
        )
      : Effect.succeed(off)
  )

const isOn = ({ plan }: Pick<AppInput, "plan">): boolean =>
  plan.telemetry !== undefined || plan.usageEndpoint !== undefined

/** What is reported about a session at its beginning. */
export type StartFacts = Pick<AppInput, "facts" | "options" | "config" | "plan" | "format">

/** There is somebody to talk to: what happens in the session is recorded from here on. */
export const endStart = (input: StartFacts): Effect.Effect<void, never, Extensions | SessionFacts | ToolRegistry> =>
  Effect.suspend(() => {
    const isFirst = input.facts.profile.ready({ keepsChunks: input.options.profile })
    if (!isOn(input)) return Effect.void
    return Effect.flatMap(
      lazy(() => import("./report-start.ts")),
      ({ reportStart }) => reportStart(input, { isFirst })
    )
  })

/** With `--debug` every step is told as well. Otherwise takes no interest in anything where telemetry is off. */
export const reader = (input: AppInput): Effect.Effect<RunReader, never, Telemetry | Policy | ModelAccess> =>
  input.options.debug
    ? Effect.zipWith(
        recording(input),
        lazy(() => import("../../output/debug-events.ts")),
        (recorded, { logged }) => ({
          ...recorded,
          onEvent: (event) => Effect.zipRight(logged(event), recorded.onEvent?.(event) ?? Effect.void)
        })
      )
    : recording(input)

const recording = (input: AppInput): Effect.Effect<RunReader, never, Telemetry | Policy | ModelAccess> =>
  isOn(input)
    ? Effect.flatMap(
        lazy(() => import("./reader.ts")),
        ({ telemetryReader }) => telemetryReader(input)
      )
    : Effect.succeed({})

/** Everything but telemetry ends before it does, and it records when that did not go well. */
export const observeEnd = <A, E, R>(services: Layer.Layer<A, E, R>) =>
  aroundLayer(services, (build) =>
    Effect.flatMap(Telemetry, (to) => (to.level === undefined ? build : inScopeOfItsOwn(to, build)))
  )

const inScopeOfItsOwn = <A, E, R>(to: Recording, build: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Effect.acquireRelease(Scope.make(), (inner, exit) =>
      Effect.flatMap(Effect.exit(Scope.close(inner, exit)), (closed) =>
        Exit.isSuccess(closed)
          ? Effect.void
          : Effect.zipRight(to.count("gemini_cli.exit.fail.count"), Effect.failCause(closed.cause))
      )
    ),
    (scope) => Scope.extend(build, scope)
  )

/** Somebody types, which is noted at most once a second; `typed` ends when that happens. */
export const watchTyping = (input: Pick<AppInput, "plan">, typed: Effect.Effect<void>) =>
  isOn(input)
    ? Effect.flatMap(Telemetry, ({ active }) =>
        Effect.forkScoped(
          Effect.forever(
            typed.pipe(Effect.zipRight(active("user_input_start")), Effect.zipRight(Effect.sleep("1 second")))
          )
        )
      )
    : Effect.void
