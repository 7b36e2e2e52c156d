/** The files that the prompt of a headless run refers to. Commands are not loaded for it. */
import { Effect } from "effect"
import * as Expansion from "../slash/at/prompt-expansion-layer.ts"
import { PromptExpansion } from "../slash/prompt-expansion.ts"
import { type GivenPrompt, type PreparedPrompt, withMedia } from "./given-prompt.ts"

export const withReferences = Effect.fnUntraced(function* (given: GivenPrompt) {
  const { notes, parts, text } = yield* Effect.provide(
    Effect.flatMap(PromptExpansion, ({ expand }) => expand(given.typed, { before: given.piped })),
    Expansion.layer
  )
  return { _tag: "Send", prompt: withMedia({ text, parts }, given), notes } satisfies PreparedPrompt as PreparedPrompt
})
