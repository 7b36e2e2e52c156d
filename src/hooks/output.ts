/**
 * What a hook may answer: one JSON object, as text on its standard output. Fields of a wrong kind are left out and told,
 * the others count.
 */
import { Predicate } from "effect"

/** `approve` is read as `allow`, `block` as `deny`. */
export type HookDecision = "allow" | "deny" | "ask"

export interface HookOutput {
  /** False: the run ends here. */
  readonly continue?: boolean
  readonly stopReason?: string
  readonly suppressOutput?: boolean
  /** For the person, not for the model. */
  readonly systemMessage?: string
  readonly decision?: HookDecision
  readonly reason?: string
  /** What only this event knows; checked where it is used. */
  readonly specific?: Readonly<Record<string, unknown>>
}

export type ReadOutput =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Answer"; readonly output: HookOutput; readonly problems: ReadonlyArray<string> }
  /** It was meant to be an answer, but cannot be read as one. */
  | { readonly _tag: "Broken"; readonly detail: string }

export const readOutput = (written: string): ReadOutput => {
  const text = written.trim()
  if (text === "") return { _tag: "Nothing" }
  const value = parsed(text)
  const inner = typeof value === "string" ? parsed(value.trim()) : value
  if (Predicate.isReadonlyRecord(inner)) return answerOf(inner)
  if (text.startsWith("{") && value === undefined) {
    return { _tag: "Broken", detail: `its output begins like JSON but is none: ${text.slice(0, 80)}` }
  }
  return { _tag: "Text", text }
}

/** `undefined` where it is no JSON. */
const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

const DECISIONS: Readonly<Record<string, HookDecision>> = {
  allow: "allow",
  approve: "allow",
  deny: "deny",
  block: "deny",
  ask: "ask"
}

const answerOf = (answer: Readonly<Record<string, unknown>>): ReadOutput => {
  const problems: Array<string> = []
  const field = <A>(name: string, isKind: (value: unknown) => value is A, kind: string): A | undefined => {
    const value = answer[name]
    if (value === undefined || value === null) return undefined
    if (isKind(value)) return value
    problems.push(`${name} must be ${kind}`)
    return undefined
  }
  const word = field("decision", Predicate.isString, 'a string such as "deny"')
  const decision = word !== undefined && Object.hasOwn(DECISIONS, word) ? DECISIONS[word] : undefined
  if (word !== undefined && decision === undefined) {
    problems.push(`decision cannot be ${JSON.stringify(word.slice(0, 40))}: it is allow, deny or ask`)
  }
  const output = {
    continue: field("continue", Predicate.isBoolean, "true or false"),
    stopReason: field("stopReason", Predicate.isString, "a string"),
    suppressOutput: field("suppressOutput", Predicate.isBoolean, "true or false"),
    systemMessage: field("systemMessage", Predicate.isString, "a string"),
    decision,
    reason: field("reason", Predicate.isString, "a string"),
    specific: field("hookSpecificOutput", Predicate.isReadonlyRecord, "an object")
  }
  return { _tag: "Answer", output: withoutGaps(output), problems }
}

/** Only the fields that say something: an absent one must not cover that of another hook. */
const withoutGaps = (output: { readonly [K in keyof HookOutput]-?: HookOutput[K] | undefined }): HookOutput =>
  Object.fromEntries(Object.entries(output).filter(([, value]) => value !== undefined))
