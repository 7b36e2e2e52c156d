/** Which model answers a prompt. It stays the same for the whole prompt, whatever it takes to answer it. */
import { Effect } from "effect"
import type { ModelRouter } from "../model/routing/model-router.ts"
import type { Emit } from "./attempt.ts"
import type { ChatOptions, Prompt } from "./chat-options.ts"
import type { Conversation } from "./conversation.ts"
import type { RunBudget } from "./limits/run-budget.ts"

export const modelChoice = (services: {
  readonly router: ModelRouter["Type"]
  readonly budget: RunBudget["Type"]
  readonly conversation: Conversation
  readonly modelFor: ChatOptions["modelFor"]
}) =>
  Effect.fnUntraced(function* (prompt: Prompt, emit: Emit) {
    const { contents } = yield* services.conversation.history
    const decision = yield* services.router.route({ history: contents, request: prompt.parts })
    yield* emit({ _tag: "ModelRouted", ...decision })
    const { model } = services.modelFor(decision.model, { isRetry: false })
    yield* emit({ _tag: "ModelChosen", model })
    yield* services.budget.check(model)
    return model
  })
