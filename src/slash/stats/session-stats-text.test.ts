import { describe, expect, test } from "bun:test"
import { addEvent, emptyStats } from "../../chat/stats/run-stats.ts"
import type { SessionUse } from "../../chat/stats/session-stats.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { CallId } from "../../protocol/ids.ts"
import { NO_USAGE } from "../../protocol/usage.ts"
import { farewell, modelText, sessionText, toolText } from "./session-stats-text.ts"

const request = (durationMs: number): ProtocolEvent => ({
  _tag: "RequestFinished",
  model: "gemini-x",
  role: "main",
  durationMs,
  costUsd: 0.0012,
  usage: {
    ...NO_USAGE,
    promptTokenCount: 12_000,
    cachedContentTokenCount: 3_000,
    candidatesTokenCount: 500,
    thoughtsTokenCount: 40,
    totalTokenCount: 12_540
  }
})

const call = (name: string, status: "success" | "error", decision?: "accept" | "reject"): ProtocolEvent => ({
  _tag: "ToolFinished",
  callId: CallId.make("call__1"),
  name,
  status,
  output: "",
  durationMs: 1000,
  linesAdded: 2,
  linesRemoved: 1,
  ...(decision === undefined ? {} : { decision })
})

const useOf = (...events: ReadonlyArray<ProtocolEvent>): SessionUse => ({
  ...events.reduce(addEvent, emptyStats),
  wallMs: 3_725_000,
  activeMs: 90_000
})

const used = useOf(
  request(2000),
  request(4000),
  call("read_file", "success"),
  call("read_file", "error"),
  call("replace", "success", "accept"),
  call("replace", "success", "reject")
)

describe("the statistics of a session", () => {
  test("in one view: calls, agreement, times with their shares, tokens of each model", () => {
    const lines = sessionText(used, { sessionId: "s-1", authType: "gemini-api-key" }).split("\n")
    expect(lines).toEqual([
      "Session          s-1",
      "Sign-in          gemini-api-key",
      "Tool calls       4 (3 ok, 1 failed)",
      "Success rate     75.0%",
      "Reviewed         2 (1 accepted, 1 rejected, 0 modified)",
      "Agreement        50.0%",
      "Code changes     +8 -4",
      "Wall time        1h 2m 5s",
      "Agent active     1m 30s",
      "  model          6.0s  ############........  60.0%",
      "  tools          4.0s  ########............  40.0%",
      "Cost (estimate)  $0.0024",
      "",
      "Model     Requests  Input   Cache reads  Output",
      "gemini-x  2         18,000  6,000        1,000"
    ])
  })

  test("by model and by tool", () => {
    expect(modelText(used)).toContain("Average latency  3.0s")
    expect(modelText(used)).toContain("cache reads    6,000 (25.0%)")
    expect(toolText(used)).toContain("read_file  2      ####################  50.0%    1.0s")
  })

  test("of nothing", () => {
    const nothing = useOf()
    expect(sessionText(nothing, { sessionId: "s", authType: undefined })).toContain("Tool calls    0 (0 ok, 0 failed)")
    expect([modelText(nothing), toolText(nothing), farewell(nothing)]).toEqual([
      "No model has been asked yet.",
      "No tool has been called yet.",
      ""
    ])
  })

  test("in one line at the end", () => {
    expect(farewell(used)).toBe("2 requests, 25,080 tokens, 4 tool calls, +8 -4 lines, 1h 2m 5s")
  })
})
