/** An answer of the batch service as a line of the output, judged as a run judges the answer of a turn. */
import { DateTime, Either, Exit } from "effect"
import { type Answer, addChunk, emptyAnswer } from "../../chat/answer.ts"
import { InvalidAnswer } from "../../chat/chat-error.ts"
import { judge, type OutputContract } from "../../chat/structured/output-contract.ts"
import { describeFault, findFault } from "../../chat/turn.ts"
import { decodeValue } from "../../model/decode-chunk.ts"
import { costOf, type PriceOf } from "../../model/pricing.ts"
import type { RunOutcome } from "../../protocol/outcome.ts"
import { NO_USAGE } from "../../protocol/usage.ts"
import { classifyRefusal } from "../../retry/classify.ts"
import { ModelError } from "../../retry/model-error.ts"
import { NO_STATS, type ResultLine } from "../result-line.ts"
import type { JobResult } from "./batch-service.ts"

export interface AnswerReader {
  readonly model: string
  readonly contract: Pick<OutputContract, "faultOf"> | undefined
  readonly priceOf: PriceOf
  readonly outcomeOf: (exit: Exit.Exit<unknown, ModelError | InvalidAnswer>) => RunOutcome
  /** Attempts of earlier runs at the same item. */
  readonly earlierAttempts: (key: string) => number
}

/** `durationMs`: since its job was reserved. */
export const jobAnswer = (
  reader: AnswerReader,
  key: string,
  result: Pick<JobResult, "response" | "error">,
  durationMs: number
): ResultLine => {
  const { model } = reader
  if (result.error !== undefined) {
    const { message, status } = result.error
    const body = JSON.stringify({ error: { code: status, message } })
    return failedLine(reader, key, classifyRefusal({ status, body, phase: "open", model, now: NEVER }), durationMs)
  }
  const decoded = decodeValue(result.response, "", { model, phase: "open", now: NEVER })
  if (Either.isLeft(decoded)) return failedLine(reader, key, decoded.left, durationMs)
  const answer = decoded.right.reduce((before, chunk) => addChunk(before, chunk, []), emptyAnswer)
  return answeredLine(reader, key, answer, durationMs)
}

/** Nothing in a result counts from now. */
const NEVER = DateTime.unsafeMake(0)

/** Nothing came back for it. */
export const failedLine = (
  reader: AnswerReader,
  key: string,
  error: ModelError | InvalidAnswer,
  durationMs: number
): ResultLine => lineOf(reader, key, emptyAnswer, durationMs, reader.outcomeOf(Exit.fail(error)))

/** Why an item has no answer, where that is the business of its job. */
export const jobFault = (model: string, detail: string): ModelError =>
  new ModelError({ kind: "unavailable", detail, model, phase: "open", errorType: "BATCH_JOB" })

const answeredLine = (reader: AnswerReader, key: string, answer: Answer, durationMs: number): ResultLine => {
  const fault = findFault(answer, { afterTools: false })
  if (fault !== undefined) {
    const invalid = new InvalidAnswer({ kind: fault, detail: describeFault(fault, answer) })
    return lineOf(reader, key, answer, durationMs, reader.outcomeOf(Exit.fail(invalid)))
  }
  const { contract } = reader
  if (contract === undefined) return lineOf(reader, key, answer, durationMs, undefined)
  const verdict = judge(answer.text, contract)
  if (verdict._tag === "Fits") {
    return { ...lineOf(reader, key, answer, durationMs, undefined), response: verdict.text, structured: verdict.value }
  }
  return {
    ...lineOf(reader, key, answer, durationMs, undefined),
    status: "error",
    completion_reason: "schema",
    error: { type: "schema", message: `the answer does not fit the schema: ${verdict.fault}` }
  }
}

const lineOf = (
  { earlierAttempts, model, priceOf }: AnswerReader,
  key: string,
  answer: Answer,
  durationMs: number,
  outcome: RunOutcome | undefined
): ResultLine => {
  const { failure } = outcome ?? {}
  const usage = answer.usage ?? NO_USAGE
  const answeredBy = answer.modelVersion ?? model
  const price = priceOf(answeredBy) ?? priceOf(model)
  const cost = price === undefined ? undefined : costOf(price, { ...usage, serviceTier: "batch" })
  return {
    key,
    status: outcome === undefined ? "success" : "error",
    response: answer.text,
    ...(failure === undefined || outcome === undefined
      ? {}
      : {
          error: {
            type: outcome.completionReason,
            message: failure.message,
            ...(failure.hint === undefined ? {} : { hint: failure.hint }),
            ...(failure.status === undefined ? {} : { status: failure.status })
          }
        }),
    completion_reason: outcome?.completionReason ?? "success",
    stats: {
      ...NO_STATS,
      tokens: {
        total: usage.totalTokenCount,
        input: usage.promptTokenCount,
        output: usage.candidatesTokenCount + usage.thoughtsTokenCount,
        cached: usage.cachedContentTokenCount
      },
      cost_usd: answer.usage === undefined ? 0 : cost === undefined ? null : Math.round(cost * 1e9) / 1e9,
      turns: 1,
      duration_ms: Math.max(0, Math.round(durationMs))
    },
    model: answeredBy,
    tier: "batch",
    attempt: earlierAttempts(key) + 1
  }
}
