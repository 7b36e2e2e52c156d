/**
 * The decision table: how a program ended, and what it answered, make one result. Exit code 2 always refuses; any
 * other failure is a warning and the run goes on, unless the hook is one that must not fail.
 */

import { Predicate } from "effect"
import type { HookEvent } from "./hook-event.ts"

export type HookEnd =
  | { readonly _tag: "Exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly _tag: "Signalled"; readonly signal: string; readonly stdout: string; readonly stderr: string }
  | { readonly _tag: "TimedOut"; readonly limitMs: number }
  | { readonly _tag: "NotStarted"; readonly detail: string }
  /** It is no longer what was accepted, and was not started. */
  | { readonly _tag: "Changed" }

export interface HookResult {
  /** Absent: it has nothing to say. */
  readonly output: HookOutput | undefined
  readonly succeeded: boolean
  /** What a person should know about a hook that did not work as it should. */
  readonly trouble: string | undefined
}

const CHANGED = "what it runs has changed since it was accepted; start gemini anew to be asked about it"

/** The events at which a refusal keeps something from happening. */
const GUARDS: ReadonlySet<HookEvent> = new Set(["BeforeTool", "BeforeAgent", "BeforeModel"])

export const resultOf = (
  end: HookEnd,
  hook: { readonly event: HookEvent; readonly failsClosed: boolean }
): HookResult => {
  const result = readEnd(end)
  // Who can change a guard must not get past it by doing so: a person decides about the call.
  if (end._tag === "Changed" && hook.event === "BeforeTool" && !hook.failsClosed) {
    return { ...result, output: { decision: "ask", reason: `a hook would have looked at this call, but ${CHANGED}` } }
  }
  const guards = hook.failsClosed && GUARDS.has(hook.event)
  if (result.succeeded || !guards || isVerdict(result.output)) return result
  const reason = `the hook must not fail, and it did: ${result.trouble ?? "it gave no answer"}`
  return { ...result, output: { ...result.output, decision: "deny", reason } }
}

const isVerdict = (output: HookOutput | undefined): boolean =>
  output?.decision !== undefined || output?.continue === false

const readEnd = (end: HookEnd): HookResult => {
  switch (end._tag) {
    case "TimedOut":
      return failed(`it took longer than ${end.limitMs} ms and was ended`)
    case "NotStarted":
      return failed(`it could not be started: ${end.detail}`)
    case "Changed":
      return failed(CHANGED)
    case "Signalled":
      return readWritten(end, `it was ended by ${end.signal}`)
    case "Exited":
      if (end.code === 0) return readWritten(end, undefined)
      return end.code === 2 ? refused(end) : readWritten(end, `it ended with exit code ${end.code}`)
  }
}

interface Written {
  readonly stdout: string
  readonly stderr: string
}

/** An answer counts however the program ended; plain words are a message, or the words of a failure. */
const readWritten = (written: Written, failure: string | undefined): HookResult => {
  const text = written.stdout.trim() === "" ? written.stderr : written.stdout
  const read = readOutput(text)
  switch (read._tag) {
    case "Nothing":
      return failure === undefined ? NOTHING : failed(failure)
    case "Broken":
      return failed(failure === undefined ? read.detail : `${failure}; ${read.detail}`)
    case "Text":
      return failure === undefined
        ? { output: { systemMessage: read.text }, succeeded: true, trouble: undefined }
        : failed(`${failure}: ${read.text}`)
    case "Answer": {
      const trouble = [...(failure === undefined ? [] : [failure]), ...read.problems].join("; ")
      return { output: read.output, succeeded: failure === undefined, trouble: trouble === "" ? undefined : trouble }
    }
  }
}

const NO_REASON = "the hook gave no reason"

const refused = ({ stderr, stdout }: Written): HookResult => {
  const read = readOutput(stdout.trim() === "" ? stderr : stdout)
  const output = read._tag === "Answer" ? read.output : undefined
  const words = [output?.reason, output?.stopReason, stderr.trim(), output === undefined ? stdout.trim() : ""]
  const reason = words.find((text) => text !== undefined && text !== "") ?? NO_REASON
  return { output: { ...output, decision: "deny", reason }, succeeded: false, trouble: undefined }
}

const NOTHING: HookResult = { output: undefined, succeeded: true, trouble: undefined }

const failed = (trouble: string): HookResult => ({ output: undefined, succeeded: false, trouble })

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

type ReadOutput =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Answer"; readonly output: HookOutput; readonly problems: ReadonlyArray<string> }
  /** It was meant to be an answer, but cannot be read as one. */
  | { readonly _tag: "Broken"; readonly detail: string }

/**
 * What a hook may answer: one JSON object, as text on its standard output. Fields of a wrong kind are left out and told,
 * the others count.
 */
const readOutput = (written: string): ReadOutput => {
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
