/**
 * Leaves old results of tools out of the history: each is saved to a file of its own, and a preview with the path takes
 * its place. Always on; a result that cannot be saved stays.
 */
import { join } from "node:path"
import { Effect, Option, Random } from "effect"
import { estimateParts } from "../../model/token-estimate.ts"
import type { Content } from "../../protocol/content.ts"
import { outputFileName, saveOutput } from "../../tools/scheduling/limit-output.ts"
import { type MaskingOptions, type MaskTarget, maskText, planMasking, savedText } from "./mask-plan.ts"

export interface Masking {
  readonly contents: ReadonlyArray<Content>
  /** Zero when nothing was masked. */
  readonly savedTokens: number
  readonly maskedCount: number
  /** Of all results that could have been masked. */
  readonly prunableTokens: number
}

export const maskOldResults = Effect.fn("Chat.mask")(function* (
  contents: ReadonlyArray<Content>,
  options: MaskingOptions & { readonly outputDir: string }
) {
  const targets = planMasking(contents, options)
  if (targets.length === 0) return unchanged(contents)
  // Messages that stay the same stay the same objects: what was written for them is not written again.
  const masked = [...contents]
  let savedTokens = 0
  let maskedCount = 0
  for (const target of targets) {
    const mask = yield* maskOf(target, options.outputDir)
    const content = masked[target.content]
    if (Option.isNone(mask) || content === undefined) continue
    const part = {
      ...content.parts[target.part],
      functionResponse: { ...target.response, response: { output: mask.value } }
    }
    const gain = target.tokens - estimateParts([part])
    if (gain <= 0) continue
    masked[target.content] = { ...content, parts: content.parts.with(target.part, part) }
    savedTokens += gain
    maskedCount += 1
  }
  if (savedTokens === 0) return unchanged(contents)
  const prunableTokens = targets.reduce((sum, { tokens }) => sum + tokens, 0)
  return { contents: masked, savedTokens, maskedCount, prunableTokens } satisfies Masking
})

const unchanged = (contents: ReadonlyArray<Content>): Masking => ({
  contents,
  savedTokens: 0,
  maskedCount: 0,
  prunableTokens: 0
})

const maskOf = Effect.fnUntraced(function* ({ response }: MaskTarget, outputDir: string) {
  const base = outputFileName(response.name ?? "tool", response.id ?? "call").slice(0, -".txt".length)
  const unique = (yield* Random.nextIntBetween(0, 36 ** 6)).toString(36).padStart(6, "0")
  const saved = yield* saveOutput(join(outputDir, `${base}_${unique}.txt`), savedText(response))
  return Option.map(saved, (file) => maskText(response, file))
})
