/**
 * A request to the model on its way: as it is where no hook listens. The code that lets hooks look at requests and
 * answers is loaded where one does.
 */

import { Effect } from "effect"
import { Hooks } from "../../hooks/hooks.ts"
import type * as Flow from "../../kernel/flow.ts"
import { lazy } from "../../kernel/lazy.ts"
import type { ModelClient, ModelEvent, ModelRequest } from "../../model/model-client.ts"
import type { ModelError } from "../../retry/model-error.ts"
import type { Emit } from "../attempt.ts"
import type { RunHalt } from "./run-halt.ts"

export interface OpenedRequest {
  /** That is asked: a hook may have chosen another one. */
  readonly model: string
  readonly events: Flow.Flow<ModelEvent, ModelError | RunHalt>
  /** No model was asked: a hook gave the answer. */
  readonly isSynthetic: boolean
}

export interface OpenOptions {
  readonly client: ModelClient["Type"]
  /** Model and parameters for a name that a hook chose. */
  readonly reconfigured: (model: string) => Pick<ModelRequest, "model" | "config">
  readonly emit: Emit
}

const EVENTS = ["BeforeModel", "BeforeToolSelection", "AfterModel"] as const

export const openRequest = Effect.fnUntraced(function* (
  request: ModelRequest,
  options: OpenOptions
): Effect.fn.Return<OpenedRequest, RunHalt> {
  const hooks = yield* Hooks
  const listening = yield* Effect.forEach(EVENTS, (event) => hooks.has(event))
  if (!listening.includes(true)) {
    return { model: request.model, events: options.client.stream(request), isSynthetic: false }
  }
  const { openHooked } = yield* lazy(() => import("./hooked-request.ts"))
  return yield* openHooked(request, hooks, options)
})
