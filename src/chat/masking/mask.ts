/**
 * Leaves old results of tools out of the history: each is saved to a file of its own, and a preview with the path takes
 * its place. Always on; a result that cannot be saved stays. Long messages lose their middle.
 */
import { join } from "node:path"
import { Effect, Option, Predicate, Random } from "effect"
import { estimateParts } from "../../model/token-estimate.ts"
import type { Content, FunctionResponse, Part } from "../../protocol/content.ts"
import { outputFileName, saveOutput } from "../../tools/scheduling/limit-output.ts"
import { MASK_TAG, maskable, SMALL_RESULT } from "./maskable.ts"

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

/** Which old results of tools are worth leaving out of the next requests. Pure. */
export interface MaskingOptions {
  /** The newest results up to this many tokens stay. */
  readonly protectionThresholdTokens: number
  /** Less than this is not worth the loss. */
  readonly minPrunableThresholdTokens: number
  /** The last message stays whatever it weighs. */
  readonly protectLatestTurn: boolean
}

interface MaskTarget {
  readonly content: number
  readonly part: number
  readonly response: FunctionResponse
  readonly tokens: number
}

/** From the newest to the oldest; empty when there is too little to gain. */
export const planMasking = (contents: ReadonlyArray<Content>, options: MaskingOptions): ReadonlyArray<MaskTarget> => {
  const targets: Array<MaskTarget> = []
  let seen = 0
  let prunable = 0
  const last = contents.length - (options.protectLatestTurn ? 2 : 1)
  for (let content = last; content >= 0; content--) {
    const parts = contents[content]?.parts ?? []
    for (let part = parts.length - 1; part >= 0; part--) {
      const response = maskable(parts[part])
      if (response === undefined) continue
      const tokens = estimateParts([{ functionResponse: response }])
      seen += tokens
      if (seen <= options.protectionThresholdTokens || !isWorthIt(response, tokens)) continue
      prunable += tokens
      targets.push({ content, part, response, tokens })
    }
  }
  return prunable >= options.minPrunableThresholdTokens ? targets : []
}

/** Whether a preview is smaller, wherever the whole is kept. */
const isWorthIt = (response: FunctionResponse, tokens: number): boolean =>
  tokens > SMALL_RESULT && maskedTokens(response, ANYWHERE) < tokens

const ANYWHERE = "x".repeat(100)

const maskedTokens = (response: FunctionResponse, file: string): number =>
  estimateParts([{ functionResponse: { ...response, response: { output: maskText(response, file) } } }])

/** What stands in the place of a result that was left out: a preview, and where the whole is. */
const PREVIEW_CHARS = 250

const PREVIEW_LINES = 10

const SHELL = "run_shell_command"

/** The result as it is saved. */
const savedText = (response: FunctionResponse): string => JSON.stringify(response.response ?? {}, undefined, 2)

export const maskText = (response: FunctionResponse, file: string): string => {
  const text = textOf(response)
  return [
    `<${MASK_TAG}>`,
    response.name === SHELL ? shellPreview(text) : charPreview(text),
    "",
    `This result is shortened because it is old. The whole is in ${file}; read_file shows it.`,
    `</${MASK_TAG}>`
  ].join("\n")
}

const textOf = (response: FunctionResponse): string => {
  const output = response.response?.output
  if (Predicate.isString(output)) return output
  return savedText(response)
}

const charPreview = (text: string): string =>
  text.length <= 2 * PREVIEW_CHARS
    ? text
    : `${text.slice(0, PREVIEW_CHARS)}\n... [${text.length - 2 * PREVIEW_CHARS} characters omitted] ...\n${text.slice(-PREVIEW_CHARS)}`

/** Labels of a shell result; what follows the output is short and tells how it ended. */
const AFTER_OUTPUT = /\n(?=(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): )/

const shellPreview = (text: string): string => {
  const [output = "", ...rest] = text.split(AFTER_OUTPUT)
  return [linePreview(output), ...rest.map(charPreview)].join("\n")
}

const linePreview = (text: string): string => {
  const lines = text.split("\n")
  // A few endless lines are no preview either.
  if (lines.length <= 2 * PREVIEW_LINES) return charPreview(text)
  const omitted = lines.length - 2 * PREVIEW_LINES
  return [
    ...lines.slice(0, PREVIEW_LINES).map(shortLine),
    `... [${omitted} lines omitted] ...`,
    ...lines.slice(-PREVIEW_LINES).map(shortLine)
  ].join("\n")
}

const shortLine = (line: string): string => (line.length <= PREVIEW_CHARS ? line : `${line.slice(0, PREVIEW_CHARS)}...`)

export interface MessageLimits {
  /** In tokens, for one message of the older part. */
  readonly normalMaxTokens: number
  /** The same for the newest part, of this many tokens in all. */
  readonly retainedMaxTokens: number
  readonly retainedTokens: number
  /** The share of what stays that comes from the beginning. */
  readonly headRatio: number
}

/**
 * Messages that are too long for what they are worth lose their middle: recent ones where they are very long, older ones
 * earlier. The last message, which is answered next, stays whole. The same array where nothing is too long; messages that
 * stay are the same objects.
 */
export const limitMessages = (contents: ReadonlyArray<Content>, limits: MessageLimits): ReadonlyArray<Content> => {
  let limited: Array<Content> | undefined
  let newer = 0
  for (let index = contents.length - 1; index >= 0; index--) {
    const content = contents[index]
    if (content === undefined) continue
    const tokens = estimateParts(content.parts)
    const limit = newer + tokens <= limits.retainedTokens ? limits.retainedMaxTokens : limits.normalMaxTokens
    newer += tokens
    if (index === contents.length - 1 || tokens <= limit) continue
    const parts = shortened(content.parts, (SHARE_OF_TEXT * limit) / tokens, limits.headRatio)
    if (parts === undefined) continue
    limited ??= [...contents]
    limited[index] = { ...content, parts }
  }
  return limited ?? contents
}

/** The note about what is missing takes room, too. */
const SHARE_OF_TEXT = 0.9
/** Of a part nothing shorter is worth its name. */
const SHORTEST = 400

const shortened = (parts: ReadonlyArray<Part>, share: number, headRatio: number): ReadonlyArray<Part> | undefined => {
  const cut = (text: string): string =>
    withoutMiddle(text, Math.max(SHORTEST, Math.floor(text.length * share)), headRatio)
  const made = parts.map((part): Part => {
    if (part.text !== undefined && !isStanding(part.text))
      return cut(part.text) === part.text ? part : { ...part, text: cut(part.text) }
    const response = maskable(part)
    if (response === undefined) return part
    const { output } = response.response ?? {}
    const whole = typeof output === "string" ? output : JSON.stringify(response.response ?? {})
    const short = cut(whole)
    return short === whole ? part : { ...part, functionResponse: { ...response, response: { output: short } } }
  })
  return made.every((part, index) => part === parts[index]) ? undefined : made
}

/** What the whole conversation rests on. */
const isStanding = (text: string): boolean =>
  text.startsWith("<session_context>") || text.startsWith("<state_snapshot>")

const withoutMiddle = (text: string, room: number, headRatio: number): string => {
  if (text.length <= room + SHORTEST) return text
  const head = text.slice(0, Math.floor(room * headRatio)).replace(/[\ud800-\udbff]$/, "")
  const tail = text.slice(text.length - (room - head.length)).replace(/^[\udc00-\udfff]/, "")
  const omitted = (text.length - head.length - tail.length).toLocaleString("en-US")
  return `${head}\n... [${omitted} characters left out: this message is long, and no longer new] ...\n${tail}`
}
