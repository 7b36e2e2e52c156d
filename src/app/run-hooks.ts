/** Hooks joined to a run. Where none is configured nothing of them is loaded. */
import { Effect } from "effect"
import * as Hooks from "../hooks/hooks.ts"
import { hasHooks } from "../hooks/hooks-configured.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import type { AppInput } from "./app.ts"
import type { ToolPlaces } from "./tool-places.ts"

export const hooks = (input: AppInput, places: ToolPlaces, own: ReadonlyArray<Secret>) =>
  input.plan.bare || !hasHooks(input.config, input.extensions ?? [])
    ? Effect.succeed(Hooks.none)
    : Effect.flatMap(
        Effect.promise(() => import("./start-hooks.ts")),
        ({ startHooks }) => startHooks(input, places, own)
      )
