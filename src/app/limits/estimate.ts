/**
 * What the first request of a run would hold, piece by piece, without sending it. The pieces are those that a run would
 * send: the same prompt, tools and context files; only the model is not there.
 */
import { Effect, Stream } from "effect"
import { estimateText } from "../../chat/token-estimate.ts"
import { contextOf } from "../../config/load.ts"
import { withService } from "../../kernel/services.ts"
import { ModelClient } from "../../model/model-client.ts"
import { costOf, priceLookup } from "../../model/pricing.ts"
import { UtilityModels } from "../../model/utility-models.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { SystemPrompt } from "../../prompt/system-prompt.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { NO_USAGE } from "../../protocol/usage.ts"
import * as ChangeJournal from "../../session/undo/change-journal.ts"
import { PromptExpansion } from "../../slash/prompt-expansion.ts"
import { ToolScheduler } from "../../tools/tool-scheduler.ts"
import { type AppInput, contractOf, placesOf, requestConfigs, utilityModels, withTools } from "../app.ts"
import { type GivenPrompt, wholeText } from "../given-prompt.ts"
import { mayRefer } from "../headless-prompt.ts"
import { modelNames } from "../model-choice.ts"
import { modelSource } from "../model-source.ts"

type Piece = EventOf<"RequestEstimated">["pieces"][number]

/** The estimate, after what the person should know about it. */
export const estimateRequest = Effect.fn("App.estimate")(function* (input: AppInput, given: GivenPrompt) {
  const names = yield* namesOf(input)
  const configFor = requestConfigs(input, names)
  const { model } = configFor(input.plan.model, { isRetry: false })
  const contract = yield* contractOf(input)
  const places = placesOf(input)
  const surroundings = Effect.succeed(contextOf(input.config)).pipe(
    withService(UtilityModels, utilityModels(input, configFor)),
    withService(ModelClient, Effect.succeed(noModel)),
    withService(ChangeJournal.ChangeJournal, Effect.succeed(ChangeJournal.none))
  )
  const { pieces, warnings } = yield* Effect.scoped(
    Effect.gen(function* () {
      const services = yield* withTools(yield* surroundings, input, places, { model, names, own: [] })
      const measured = Effect.flatMap(textOf(given), (prompt) => piecesOf(model, prompt))
      return yield* Effect.provide(measured, services)
    })
  )
  const all = contract === undefined ? pieces : [...pieces, schemaPiece(contract.instruction)]
  const notices = warnings.map((message) => ({ _tag: "Notice", severity: "warning", message }) as const)
  return [...notices, estimated(model, all, input)] satisfies ReadonlyArray<ProtocolEvent>
})

/** With the files that it refers to; media are not counted. */
const textOf = Effect.fnUntraced(function* (given: GivenPrompt) {
  if (!mayRefer(given)) return wholeText(given)
  const { layer } = yield* Effect.promise(() => import("../../slash/at/prompt-expansion-layer.ts"))
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
  { config: { settings } }: AppInput
): EventOf<"RequestEstimated"> => {
  const totalTokens = pieces.reduce((sum, { tokens }) => sum + tokens, 0)
  const price = priceLookup(settings.get("run.prices"))(model)
  const usage = { ...NO_USAGE, promptTokenCount: totalTokens }
  return {
    _tag: "RequestEstimated",
    model,
    totalTokens,
    ...(price === undefined ? {} : { inputCostUsd: costOf(price, usage) }),
    pieces: pieces.map((one) => ({ ...one, share: totalTokens === 0 ? 0 : one.tokens / totalTokens }))
  }
}

/** An estimate needs no key; without one, names mean what they mean to a key of the Gemini API. */
const namesOf = (input: AppInput) =>
  modelSource(input).pipe(
    Effect.map(({ names }) => names),
    Effect.orElse(() => modelNames(input, "gemini-api-key"))
  )

const unused = Effect.dieMessage("an estimate asks no model")

const noModel: ModelClient["Type"] = {
  stream: () => Stream.fromEffect(unused),
  generate: () => unused,
  countTokens: () => unused,
  embed: () => unused
}
