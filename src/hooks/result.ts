/**
 * The decision table: how a program ended, and what it wrote, make one result. Exit code 2 always refuses; any other
 * failure is a warning and the run goes on, unless the hook is one that must not fail.
 */
import type { HookEvent } from "./hook-event.ts"
import { type HookOutput, readOutput } from "./output.ts"

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
