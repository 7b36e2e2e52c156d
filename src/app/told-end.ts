/** The end of a session's services, of which telemetry is told: it is made before them, and still there after them. */
import { Effect, Exit, Scope } from "effect"
import type { Recording } from "../telemetry/telemetry.ts"

export const told = <A, E, R>(to: Recording, services: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.acquireRelease(Scope.make(), (inner, exit) =>
      Effect.flatMap(Effect.exit(Scope.close(inner, exit)), (closed) =>
        Exit.isSuccess(closed)
          ? Effect.void
          : Effect.zipRight(to.count("gemini_cli.exit.fail.count"), Effect.failCause(closed.cause))
      )
    )
    return yield* Scope.extend(services, scope)
  })
