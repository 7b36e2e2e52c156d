/**
 * The form that the final answer of a run must have (`--output-schema`). The model is told the schema; what it answers
 * is checked here, and handed back with what is wrong, a bounded number of times. Pure, but for the counting.
 */
import { Effect, Option, Ref, Schema } from "effect"
import { type Content, userText } from "../../protocol/content.ts"
import type { Emit } from "../../protocol/event.ts"
import { SchemaMismatch } from "./schema-error.ts"

export interface OutputContract {
  /** The schema itself, as JSON. */
  readonly schema: string
  /** Stands at the end of the system instruction. */
  readonly instruction: string
  /** What is wrong with this value; `null` when nothing is. */
  readonly faultOf: (value: unknown) => string | null
}

/** Turns that the model gets to mend its answer. */
export const MAX_REPAIRS = 2

export type ContractVerdict =
  | { readonly _tag: "Fits"; readonly value: unknown; readonly text: string }
  | { readonly _tag: "Fails"; readonly fault: string }

export const judge = (text: string, { faultOf }: Pick<OutputContract, "faultOf">): ContractVerdict => {
  const candidates = jsonCandidates(text)
  let first: string | undefined
  for (const candidate of candidates) {
    const fault = faultOf(candidate.value)
    if (fault === null) return { _tag: "Fits", ...candidate }
    first ??= fault
  }
  return { _tag: "Fails", fault: first ?? (text.trim() === "" ? "it is empty" : "it is not JSON") }
}

/** The message that asks for a better answer than this one, or nothing once an answer fits. */
export type Review = (text: string) => Effect.Effect<Content | undefined, SchemaMismatch>

/**
 * Judges the answers of one prompt. Nobody has seen their text so far: the answer that counts is shown here, and no
 * other.
 */
export const makeReview = (contract: OutputContract, emit: Emit): Effect.Effect<Review> =>
  Effect.map(Ref.make(0), (repairs) =>
    Effect.fnUntraced(function* (text: string) {
      const verdict = judge(text, contract)
      if (verdict._tag === "Fits") {
        yield* emit({ _tag: "Text", text: verdict.text })
        yield* emit({ _tag: "StructuredAnswer", value: verdict.value })
        return undefined
      }
      if ((yield* Ref.getAndUpdate(repairs, (count) => count + 1)) >= MAX_REPAIRS) {
        // Kept, so that nothing that was paid for is lost; the exit code says what it is worth.
        yield* emit({ _tag: "Text", text })
        return yield* new SchemaMismatch({ fault: verdict.fault, repairs: MAX_REPAIRS })
      }
      yield* emit({ _tag: "TurnRestarted", reason: `the answer does not fit the schema: ${verdict.fault}` })
      return repairRequest(verdict.fault)
    })
  )

/** What the run says on the way is not part of the document that was asked for. */
export const withoutText =
  (emit: Emit): Emit =>
  (event) =>
    event._tag === "Text" ? Effect.void : emit(event)

const repairRequest = (fault: string): Content =>
  userText(
    `Your answer cannot be used, because it does not fit the JSON Schema that was asked for: ${fault}. Give the whole answer again as one JSON value that fits, and nothing else.`
  )

interface JsonCandidate {
  readonly value: unknown
  /** As the model wrote it. */
  readonly text: string
}

const FENCED = /```[a-zA-Z]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```/g

/** The JSON in a model's answer: the whole text, else what stands in its code blocks, the last one first. */
export const jsonCandidates = (answer: string): ReadonlyArray<JsonCandidate> => {
  const blocks = [...answer.matchAll(FENCED)].map(([, inner]) => inner ?? "").reverse()
  return [answer, ...blocks].flatMap(candidate)
}

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

const candidate = (source: string): ReadonlyArray<JsonCandidate> => {
  const text = source.replace(/^\ufeff/, "").trim()
  return Option.match(parseJson(text), { onNone: () => [], onSome: (value) => [{ value, text }] })
}
