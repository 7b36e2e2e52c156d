/** Which model an agent runs on, and with which parameters. The preset of an agent is called `<name>-config`. */
import { Effect, Option, Ref } from "effect"
import { isGemini3 } from "../../model/model-names.ts"
import { ModelRouter } from "../../model/routing/model-router.ts"
import type { RoutingDecision, RoutingQuestion } from "../../model/routing/routing.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import { type AgentModel, INHERIT, type LocalAgent } from "../agent.ts"
import type { AgentHost } from "../agent-host.ts"

type Host = AgentHost["Type"]

/** Parameters of the model, with those of the agent over them, and what the settings say about its preset over both. */
export const modelConfig = (agent: LocalAgent, host: Host) => {
  const preset = `${agent.name}-config`
  const base = `${preset}-base`
  return (model: string, { isRetry }: { readonly isRetry: boolean }) => {
    const plain = host.configFor({ name: model, isRetry })
    const resolved = host.configFor(
      { name: preset, isRetry, scope: agent.name },
      {
        [base]: { modelConfig: { model: plain.model, generateContentConfig: plain.config } },
        [preset]: { extends: base, modelConfig: { generateContentConfig: agent.model.config } }
      }
    )
    return { ...resolved, config: withOneThinking(resolved.model, resolved.config) }
  }
}

/** A level for newer models, a budget for older ones: both together are refused. */
const withOneThinking = (model: string, config: Readonly<Record<string, unknown>>) => {
  const { thinkingConfig } = config
  if (typeof thinkingConfig !== "object" || thinkingConfig === null) return config
  const unwanted = isGemini3(model) ? "thinkingBudget" : "thinkingLevel"
  const kept = Object.fromEntries(Object.entries(thinkingConfig).filter(([key]) => key !== unwanted))
  return { ...config, thinkingConfig: kept }
}

/** `undefined`: the model of the session, which may have to be chosen. */
export const ownModel = ({ modernName, name }: AgentModel, sessionModel: string): string | undefined => {
  if (name === INHERIT) return undefined
  return modernName !== undefined && isGemini3(sessionModel) ? modernName : name
}

/** The services that choose for this agent: once, whatever it takes to answer. */
export const modelServices = Effect.fnUntraced(function* (agent: LocalAgent, host: Host) {
  const selected = yield* SelectedModel
  const name = yield* selected.get
  const own = ownModel(agent.model, host.configFor({ name, isRetry: false }).model)
  if (own !== undefined) {
    const settled = { model: own, source: "agent-router/override", latencyMs: 0, reasoning: "the agent has its own" }
    return {
      selected: SelectedModel.of({ get: Effect.succeed(own), set: () => Effect.void }),
      router: ModelRouter.of({ route: () => Effect.succeed(settled) })
    }
  }
  const router = yield* host.router
  const decided = yield* Ref.make(Option.none<RoutingDecision>())
  const decide = (question: RoutingQuestion) =>
    Effect.tap(router.route(question), (decision) => Ref.set(decided, Option.some(decision)))
  return {
    selected,
    router: ModelRouter.of({
      route: (question) =>
        Effect.flatMap(Ref.get(decided), Option.match({ onNone: () => decide(question), onSome: Effect.succeed }))
    })
  }
})
