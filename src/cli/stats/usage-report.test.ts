import { expect, test } from "bun:test"
import { Duration, Option } from "effect"
import { usageText } from "../subcommands/stats.command.ts"
import { type SessionUsage, sinceOf, usageReport } from "./usage-report.ts"

const tokens = { input: 1_000_000, output: 500_000, cached: 250_000, thoughts: 0, tool: 0, total: 1_500_000 }

const sessions: ReadonlyArray<SessionUsage> = [
  {
    metadata: { startTime: "2026-01-01T10:00:00.000Z", kind: "main" },
    messages: [
      { isPrompt: true, timestamp: "2026-01-01T10:00:00.000Z" },
      {
        isPrompt: false,
        timestamp: "2026-01-01T10:00:05.000Z",
        model: "known",
        tokens,
        toolCalls: [
          { id: "1", name: "write_file", args: { file_path: "/w/a" }, status: "success", durationMs: 100 },
          { id: "2", name: "write_file", args: { file_path: "/w/b" }, status: "error", durationMs: 300 }
        ]
      }
    ]
  },
  {
    metadata: { startTime: "2026-01-03T10:00:00.000Z", kind: "main" },
    messages: [
      { isPrompt: true, timestamp: "2026-01-03T10:00:00.000Z" },
      { isPrompt: false, timestamp: "2026-01-03T10:00:01.000Z", model: "new", tokens: { ...tokens, total: 1 } }
    ]
  }
]

const priceOf = (model: string) => (model === "known" ? { input: 2, cached: 1, output: 4 } : undefined)

test("adds up models, tools, files and days", () => {
  const report = usageReport(sessions, { priceOf, since: undefined })
  expect(report).toMatchObject({
    sessions: 2,
    prompts: 2,
    requests: 2,
    input: 2_000_000,
    cached: 500_000,
    costUsd: 0.75 * 2 + 0.25 * 1 + 0.5 * 4,
    unpriced: ["new"],
    tools: { write_file: { calls: 2, succeeded: 1, durationMs: 400 } },
    files: { "/w/a": 1 }
  })
  expect(Object.keys(report.days)).toEqual(["2026-01-01", "2026-01-03"])
})

test("leaves out what was before", () => {
  const report = usageReport(sessions, { priceOf, since: Date.parse("2026-01-02") })
  expect(report).toMatchObject({ sessions: 1, prompts: 1, requests: 1, tools: {} })
})

test("is told with bars, the largest over the whole width", () => {
  const text = usageText(usageReport(sessions, { priceOf, since: undefined }))
  expect(text).toContain("Cached    25% of the input")
  expect(text).toContain(`  known  ${"█".repeat(24)}  1 request, 1,500,000 tokens, $3.75`)
  expect(text).toContain("write_file")
  expect(text).toContain("2 calls, 50% succeeded, 0.2 s each")
  expect(usageText(usageReport([], { priceOf, since: undefined }))).toContain("Nothing was recorded")
})

test.each([
  ["90m", Duration.minutes(90)],
  ["24h", Duration.days(1)],
  ["7d", Duration.days(7)],
  ["2w", Duration.days(14)]
])("%s is a time", (text, length) => expect(Option.getOrThrow(sinceOf(text))).toEqual(length))

test.each(["", "7", "d", "-1d", "1y", "1.5h"])("%j is none", (text) => expect(sinceOf(text)).toEqual(Option.none()))
