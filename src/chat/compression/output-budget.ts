/**
 * The newest results of tools keep their full text up to a budget; older long ones are cut to their beginning and end, and
 * saved whole where `read_file` reaches them.
 */
import { join } from "node:path"
import { Effect, Option } from "effect"
import type { Content, FunctionResponse, Part } from "../../protocol/content.ts"
import { limitOutput, outputFileName } from "../../tools/scheduling/limit-output.ts"
import { saveOutput } from "../../tools/scheduling/save-output.ts"
import { estimateParts, estimateText } from "../token-estimate.ts"

export interface OutputBudget {
  /** Characters that are left of a result that is cut. */
  readonly threshold: number
  readonly outputDir: string
}

const BUDGET_TOKENS = 50_000

export const withinBudget = Effect.fnUntraced(function* (contents: ReadonlyArray<Content>, budget: OutputBudget) {
  const kept: Array<Content> = []
  let tokens = 0
  for (const content of contents.toReversed()) {
    const parts: Array<Part> = []
    for (const part of content.parts.toReversed()) {
      const isOver = tokens + (part.functionResponse === undefined ? 0 : estimateParts([part])) > BUDGET_TOKENS
      const next =
        part.functionResponse !== undefined && isOver ? yield* cut(part, part.functionResponse, budget) : part
      if (next.functionResponse !== undefined) tokens += estimateParts([next])
      parts.unshift(next)
    }
    kept.unshift(parts.every((part, index) => part === content.parts[index]) ? content : { ...content, parts })
  }
  return kept
})

/** The result stays as it is where it is short, or where it cannot be saved. */
const cut = Effect.fnUntraced(function* (
  part: Part,
  response: FunctionResponse,
  { outputDir, threshold }: OutputBudget
) {
  const text = textOfResponse(response)
  if (text.length <= threshold) return part
  const file = join(outputDir, outputFileName(response.name ?? "tool", response.id ?? "call"))
  const saved = yield* saveOutput(file, text)
  if (Option.isNone(saved)) return part
  const output = limitOutput(text, threshold, saved.value).text
  return estimateText(output) < estimateText(text)
    ? { ...part, functionResponse: { ...response, response: { output } } }
    : part
})

/** What the model reads of a result. */
const textOfResponse = ({ response }: FunctionResponse): string => {
  const text = response?.output ?? response?.content
  return typeof text === "string" ? text : JSON.stringify(response ?? {}, undefined, 2)
}
