import { expect, test } from "bun:test"
import type { ProtocolEvent } from "../protocol/event.ts"
import { CallId, PromptId } from "../protocol/ids.ts"
import { NO_USAGE } from "../protocol/usage.ts"
import { logEvents } from "./event-table.ts"
import { beginning, type ReaderState, readEnd, readEvent } from "./from-events.ts"
import { counters, histograms } from "./metric-table.ts"
import type { Signal } from "./signal.ts"

const facts = {
  approvalMode: "default",
  logPrompts: true,
  detectsLoops: true,
  classifierThreshold: 90,
  extensions: new Map([["notes", { name: "full", id: "abc" }]])
} as const

const readAll = (...events: ReadonlyArray<ProtocolEvent>): readonly [ReaderState, ReadonlyArray<Signal>] => {
  let state = beginning
  const all: Array<Signal> = []
  for (const [at, event] of events.entries()) {
    const [next, signals] = readEvent(state, event, at * 1_000, facts)
    state = next
    all.push(...signals)
  }
  return [state, all]
}

const logsOf = (signals: ReadonlyArray<Signal>) =>
  signals.flatMap((signal) => (signal._tag === "Log" ? [signal.entry] : []))
const countsOf = (signals: ReadonlyArray<Signal>) =>
  signals.flatMap((signal) => (signal._tag === "Count" ? [[signal.name, signal.by]] : []))

const prompt: ProtocolEvent = { _tag: "UserMessage", promptId: PromptId.make("s########0"), text: "hello" }
const chosen = (model: string): ProtocolEvent => ({ _tag: "ModelChosen", model })
const callId = CallId.make("replace__1")
const rejected: ProtocolEvent = { _tag: "AnswerRejected", model: "m", role: "main", kind: "NO_RESPONSE_TEXT" }
const restarted: ProtocolEvent = { _tag: "TurnRestarted", reason: "empty" }

test("a prompt is told with its id and length", () => {
  const [, signals] = readAll(prompt)
  expect(logsOf(signals)).toEqual([
    {
      name: "gemini_cli.user_prompt",
      body: "User prompt. Length: 5.",
      attributes: { prompt_length: 5, prompt_id: "s########0", prompt: "hello" }
    }
  ])
})

test("a call is told with the arguments that were asked for, where none were made", () => {
  const [, signals] = readAll(
    prompt,
    { _tag: "ToolRequested", callId, name: "replace", args: { file_path: "a.py" } },
    {
      _tag: "ToolFinished",
      callId,
      name: "replace",
      status: "error",
      output: "no",
      error: { type: "execution_failed", message: "no" },
      durationMs: 500
    }
  )
  expect(logsOf(signals).at(-1)?.attributes).toMatchObject({
    function_name: "replace",
    function_args: '{"file_path":"a.py"}',
    success: false,
    prompt_id: "s########0",
    start_time: 1_500,
    end_time: 2_000,
    error_type: "execution_failed"
  })
})

test("a call of a tool that an extension brings names the extension", () => {
  const [, signals] = readAll(prompt, {
    _tag: "ToolFinished",
    callId,
    name: "mcp_notes_note",
    status: "success",
    output: "",
    durationMs: 1,
    server: "notes"
  })
  expect(logsOf(signals).at(-1)?.attributes).toMatchObject({
    mcp_server_name: "notes",
    extension_name: "full",
    extension_id: "abc"
  })
})

test("another model is a fallback only when one was chosen before", () => {
  const [, signals] = readAll(prompt, chosen("a"), chosen("a"), chosen("b"))
  expect(logsOf(signals).filter(({ name }) => name === "gemini_cli.flash_fallback")).toHaveLength(1)
})

test("unusable answers are counted, asked for again, and given up", () => {
  const [state, signals] = readAll(prompt, rejected, restarted, rejected)
  expect(countsOf(signals)).toEqual([
    ["gemini_cli.chat.invalid_chunk.count", 1],
    ["gemini_cli.chat.content_retry.count", 1],
    ["gemini_cli.chat.invalid_chunk.count", 1]
  ])
  expect(logsOf(readEnd(state, "Failed", 9_000, facts))).toMatchObject([
    { attributes: { total_attempts: 2, final_error_type: "NO_RESPONSE_TEXT", total_duration_ms: 8_000 } }
  ])
  expect(readEnd(state, "Cancelled", 9_000, facts)).toEqual([])
})

test("the end tells how many turns it took", () => {
  const finished: ProtocolEvent = { _tag: "RequestFinished", model: "m", role: "main", durationMs: 1, usage: NO_USAGE }
  const [state] = readAll(prompt, finished, { ...finished, role: "utility_router" }, finished)
  expect(logsOf(readEnd(state, "Answered", 0, facts))).toMatchObject([{ attributes: { turnCount: 2 } }])
})

test("only a real compression is told", () => {
  const compressed = (status: "COMPRESSED" | "CONTENT_TRUNCATED"): ProtocolEvent => ({
    _tag: "ChatCompressed",
    status,
    originalTokens: 10,
    newTokens: 2,
    windowTokens: 20,
    history: []
  })
  expect(readAll(compressed("CONTENT_TRUNCATED"))[1]).toEqual([])
  expect(countsOf(readAll(compressed("COMPRESSED"))[1])).toEqual([["gemini_cli.chat_compression", 1]])
})

test("whatever is read stands in the tables, with its attributes", () => {
  const [, signals] = readAll(
    prompt,
    { _tag: "ModelRouted", model: "m", source: "s", latencyMs: 1, reasoning: "r", error: "e" },
    rejected,
    restarted,
    { _tag: "RetryScheduled", model: "m", attempt: 1, maxAttempts: 3, delayMs: 5, reason: "r", errorType: "X" }
  )
  for (const signal of signals) {
    const row =
      signal._tag === "Log"
        ? logEvents[signal.entry.name]
        : signal._tag === "Count"
          ? counters[signal.name]
          : histograms[signal.name]
    const listed = [...row.attributes, ...("texts" in row && row.texts !== undefined ? row.texts : [])]
    const told = Object.keys((signal._tag === "Log" ? signal.entry.attributes : signal.attributes) ?? {})
    expect(told.filter((name) => !listed.includes(name))).toEqual([])
  }
})
