import { expect, test } from "bun:test"
import type { ProtocolEvent } from "../protocol/event.ts"
import { CallId } from "../protocol/ids.ts"
import { succeeded } from "../protocol/outcome.ts"
import { NO_USAGE } from "../protocol/usage.ts"
import { emptySummary, extraFields, summarize } from "./run-summary.ts"
import { jsonStats, streamStats } from "./stats-document.ts"

const usage = {
  promptTokenCount: 100,
  candidatesTokenCount: 7,
  totalTokenCount: 110,
  cachedContentTokenCount: 30,
  thoughtsTokenCount: 3,
  toolUsePromptTokenCount: 0
}
const callId = CallId.make("ls__1")
const toolFinished = (fields: Partial<Extract<ProtocolEvent, { _tag: "ToolFinished" }>>): ProtocolEvent => ({
  _tag: "ToolFinished",
  callId,
  name: "ls",
  status: "success",
  output: "",
  durationMs: 5,
  ...fields
})
const fold = (...events: ReadonlyArray<ProtocolEvent>) => events.reduce(summarize, emptySummary)

test("the last turn is what came after the last tool result", () => {
  const summary = fold({ _tag: "Text", text: "let me " }, { _tag: "Text", text: "look" }, toolFinished({}), {
    _tag: "Text",
    text: "done"
  })
  expect(summary.earlierTurns).toEqual(["let me look"])
  expect(summary.lastTurn).toBe("done")
})

test("a restarted turn loses its text and no other", () => {
  const summary = fold(
    { _tag: "Text", text: "first" },
    toolFinished({}),
    { _tag: "Text", text: "broken" },
    { _tag: "TurnRestarted", reason: "reset" },
    { _tag: "Text", text: "whole" }
  )
  expect(summary.earlierTurns).toEqual(["first"])
  expect(summary.lastTurn).toBe("whole")
})

test("requests, failures and rejected answers are counted by model and role", () => {
  const summary = fold(
    { _tag: "RequestFailed", model: "m", role: "main", durationMs: 10, errorType: "QUOTA_EXCEEDED" },
    { _tag: "RequestFinished", model: "m", role: "main", durationMs: 20, usage },
    { _tag: "AnswerRejected", model: "m", role: "main", kind: "NO_RESPONSE_TEXT" }
  )
  const tokens = { input: 70, prompt: 100, candidates: 7, total: 110, cached: 30, thoughts: 3, tool: 0 }
  expect(jsonStats(summary.stats).models).toEqual({
    m: {
      api: {
        totalRequests: 2,
        totalErrors: 2,
        totalLatencyMs: 30,
        errorsByType: { QUOTA_EXCEEDED: 1, NO_RESPONSE_TEXT: 1 }
      },
      tokens,
      roles: { main: { totalRequests: 2, totalErrors: 2, totalLatencyMs: 30, tokens } }
    }
  })
  expect(streamStats(summary.stats, 42)).toEqual({
    total_tokens: 110,
    input_tokens: 100,
    output_tokens: 7,
    cached: 30,
    input: 70,
    duration_ms: 42,
    tool_calls: 0,
    models: { m: { total_tokens: 110, input_tokens: 100, output_tokens: 7, cached: 30, input: 70 } },
    cost_usd: null
  })
})

const paid = (costUsd: number | undefined) =>
  fold({
    _tag: "RequestFinished",
    model: "m",
    role: "main",
    durationMs: 1,
    usage: { ...NO_USAGE, totalTokenCount: 1 },
    ...(costUsd === undefined ? {} : { costUsd })
  })

test("costs are added up; one that is not known makes the sum unknown", () => {
  expect(jsonStats(fold().stats).cost_usd).toBe(0)
  expect(jsonStats(paid(0.000_123_456_789_1).stats).cost_usd).toBe(0.000123457)
  expect(jsonStats(paid(undefined).stats).cost_usd).toBeNull()
})

test("an answer of a given form, and an estimate, stand in the document", () => {
  const summary = fold(
    { _tag: "StructuredAnswer", value: { a: 1 } },
    {
      _tag: "RequestEstimated",
      model: "m",
      totalTokens: 10,
      pieces: [{ kind: "context_file", name: "/w/GEMINI.md", tokens: 4, share: 0.4, trust: "trusted" }]
    }
  )
  expect(extraFields(summary, succeeded)).toMatchObject({
    structured_output: { a: 1 },
    estimate: {
      model: "m",
      total_tokens: 10,
      input_cost_usd: null,
      parts: [{ kind: "context_file", name: "/w/GEMINI.md", tokens: 4, share: 0.4, trust: "trusted" }]
    }
  })
})

test("tools are counted by name, with decisions and changed lines", () => {
  const summary = fold(
    toolFinished({ decision: "accept", linesAdded: 3, linesRemoved: 1 }),
    toolFinished({ status: "error", error: { type: "execution_failed", message: "no" }, durationMs: 2 }),
    toolFinished({ name: "__proto__" })
  )
  const stats = jsonStats(summary.stats)
  expect(stats.tools).toEqual({
    totalCalls: 3,
    totalSuccess: 2,
    totalFail: 1,
    totalDurationMs: 12,
    totalDecisions: { accept: 1, reject: 0, modify: 0, auto_accept: 0 },
    byName: {
      ls: {
        count: 2,
        success: 1,
        fail: 1,
        durationMs: 7,
        decisions: { accept: 1, reject: 0, modify: 0, auto_accept: 0 }
      },
      ["__proto__"]: {
        count: 1,
        success: 1,
        fail: 0,
        durationMs: 5,
        decisions: { accept: 0, reject: 0, modify: 0, auto_accept: 0 }
      }
    }
  })
  expect(stats.files).toEqual({ totalLinesAdded: 3, totalLinesRemoved: 1 })
})

test("denials and hidden tools stand in the fields we add", () => {
  const summary = fold(
    { _tag: "ToolsHidden", names: ["write_file"] },
    { _tag: "PermissionDenied", callId, toolName: "ls", reason: "no", rule: "r", allowWith: "--yolo" }
  )
  expect(extraFields(summary, succeeded)).toEqual({
    completion_reason: "success",
    permission_denials: [{ tool_name: "ls", tool_id: callId, reason: "no", rule: "r", allow_with: "--yolo" }],
    hidden_tools: ["write_file"],
    structured_output: undefined,
    estimate: undefined
  })
})
