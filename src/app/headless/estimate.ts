/**
 * What the first request of a run would hold, piece by piece, without sending it. The pieces are those that a run would
 * send: the same prompt, tools and context files; only the model is not there.
 */
import { Effect } from "effect"
import { contractOf } from "../../chat/from-config.ts"
import { type GivenPrompt, wholeText } from "../../cli/given-prompt.ts"
import { lazy } from "../../kernel/lazy.ts"
import { ModelAccess } from "../../model/model-access.ts"
import { costOf, priceLookup } from "../../model/pricing.ts"
import { estimateText } from "../../model/token-estimate.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { SystemPrompt } from "../../prompt/system-prompt.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { NO_USAGE } from "../../protocol/usage.ts"
import { PromptExpansion } from "../../slash/prompt-expansion.ts"
import { ToolScheduler } from "../../tools/tool-scheduler.ts"
import { estimateLayer } from "../compose.ts"
import type { AppInput } from "../facts.ts"
import { mayRefer } from "./prompt.ts"

type Piece = EventOf<"RequestEstimated">["pieces"][number]

/** The estimate, after what the person should know about it. */
export const estimateRequest = Effect.fn("App.estimate")(function* (input: AppInput, given: GivenPrompt) {
  const contract = yield* contractOf(input.config, { outputSchema: input.options.outputSchema })
  const { model, pieces, warnings } = yield* Effect.provide(measured(input, given), estimateLayer(input))
  const all = contract === undefined ? pieces : [...pieces, schemaPiece(contract.instruction)]
  const notices = warnings.map((message) => ({ _tag: "Notice", severity: "warning", message }) as const)
  return [...notices, estimated(model, all, input)] satisfies ReadonlyArray<ProtocolEvent>
})

const measured = Effect.fnUntraced(function* ({ plan }: AppInput, given: GivenPrompt) {
  const { configFor } = yield* ModelAccess
  const { model } = configFor(plan.model, { isRetry: false })
  return { model, ...(yield* piecesOf(model, yield* textOf(given))) }
})

/** With the files that it refers to; media are not counted. */
const textOf = Effect.fnUntraced(function* (given: GivenPrompt) {
  if (!mayRefer(given)) return wholeText(given)
  const { layer } = yield* lazy(() => import("../../slash/at/prompt-expansion-layer.ts"))
  const expand = Effect.flatMap(PromptExpansion, ({ expand }) => expand(given.typed, { before: given.piped }))
  const { parts } = yield* Effect.provide(expand, layer)
  return parts.map(({ text = "" }) => text).join("")
})

const piecesOf = Effect.fnUntraced(function* (model: string, prompt: string) {
  const systemPrompt = yield* SystemPrompt
  const scheduler = yield* ToolScheduler
  const contextFiles = yield* ContextFiles
  const declarations = yield* scheduler.declarations(model)
  const instruction = yield* systemPrompt.instruction({ model, tools: declarations.map(({ name }) => name) })
  const surroundings = yield* systemPrompt.sessionContext
  const files = yield* contextFiles.files
  const isInInstruction = ({ tier }: (typeof files)[number]) => tier === "global" || tier === "private"
  const pieces = [
    piece("instruction", "system instruction", without(instruction, files.filter(isInInstruction))),
    piece("tools", `declarations of ${declarations.length} tools`, JSON.stringify(declarations)),
    piece("surroundings", "surroundings of the session", without(surroundings, files)),
    // Files of a folder that is not trusted are not read at all.
    ...files.map(({ block, path }) => ({ ...piece("context_file", path, block), trust: "trusted" as const })),
    piece("prompt", "prompt", prompt)
  ]
  return { pieces, warnings: yield* systemPrompt.takeWarnings }
})

const schemaPiece = (instruction: string): Piece => piece("instruction", "schema of the answer", instruction)

const piece = (kind: Piece["kind"], name: string, text: string): Piece => ({
  kind,
  name,
  tokens: estimateText(text),
  share: 0
})

/** Each text is counted once: files are listed by themselves. They stand in the text in their order, so it is gone through once. */
const without = (text: string, files: ReadonlyArray<{ readonly block: string }>): string => {
  const kept: Array<string> = []
  let from = 0
  for (const { block } of files) {
    const at = text.indexOf(block, from)
    if (at === -1) continue
    kept.push(text.slice(from, at))
    from = at + block.length
  }
  return [...kept, text.slice(from)].join("")
}

const estimated = (
  model: string,
  pieces: ReadonlyArray<Piece>,
  { config: { settings }, plan: { tier } }: AppInput
): EventOf<"RequestEstimated"> => {
  const totalTokens = pieces.reduce((sum, { tokens }) => sum + tokens, 0)
  const price = priceLookup(settings.get("run.prices"))(model)
  // Who asks for auto may have to pay the standard price.
  const asked = tier === undefined || tier === "auto" ? "standard" : tier
  const usage = { ...NO_USAGE, promptTokenCount: totalTokens, serviceTier: asked }
  return {
    _tag: "RequestEstimated",
    model,
    totalTokens,
    ...(price === undefined ? {} : { inputCostUsd: costOf(price, usage) }),
    pieces: pieces.map((one) => ({ ...one, share: totalTokens === 0 ? 0 : one.tokens / totalTokens }))
  }
}
