/** The json format: one document, the same on every path. */

import { describe, expect, test } from "bun:test"
import { documentOf } from "./kit/documents.ts"
import { startModelServer } from "./kit/model-server.ts"
import { testWith } from "./kit/needs.ts"
import { answer, call, chunk, DEFAULT_USAGE, finish, MODEL_VERSION, say, text, thought } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

test("success: the whole document", async () => {
  await using server = await startModelServer([say("Hello ", "world")])
  await using place = await newWorkspace()
  // A model by name needs no classifier.
  const result = await place.run(["-p", "hi", "-o", "json", "-m", "gemini-2.5-pro"], { server })
  const tokens = { input: 6, prompt: 10, candidates: 5, total: 17, cached: 4, thoughts: 2, tool: 0 }
  const counts = { totalRequests: 1, totalErrors: 0, totalLatencyMs: expect.any(Number) }
  expect(documentOf(result)).toEqual({
    session_id: expect.stringMatching(/^[A-Za-z0-9_-]{8,}$/),
    response: "Hello world",
    stats: {
      models: {
        [MODEL_VERSION]: { api: { ...counts, errorsByType: {} }, tokens, roles: { main: { ...counts, tokens } } }
      },
      tools: {
        totalCalls: 0,
        totalSuccess: 0,
        totalFail: 0,
        totalDurationMs: 0,
        totalDecisions: { accept: 0, reject: 0, modify: 0, auto_accept: 0 },
        byName: {}
      },
      files: { totalLinesAdded: 0, totalLinesRemoved: 0 },
      cost_usd: expect.any(Number)
    },
    full_response: "Hello world",
    completion_reason: "success",
    permission_denials: [],
    hidden_tools: expect.any(Array),
    trust: "trusted",
    schema_version: 1
  })
  expect(result.stderr).toBe("")
  expect(result.exitCode).toBe(0)
})

test("keys stand in the documented order, indented by two, letters unescaped", async () => {
  await using server = await startModelServer([say("größe 🎉")])
  await using place = await newWorkspace()
  const { stdout } = await place.run(["-p", "hi", "-o", "json"], { server })
  expect(Object.keys(JSON.parse(stdout)).slice(0, 3)).toEqual(["session_id", "response", "stats"])
  expect(stdout).toContain('\n  "response": "größe 🎉",\n')
})

test("response holds the last turn, full_response all of them", async () => {
  await using server = await startModelServer([
    answer([chunk(text("Let me look."), call("no_such_tool")), finish("STOP", DEFAULT_USAGE)]),
    say("Done.")
  ])
  await using place = await newWorkspace()
  const document = documentOf(await place.run(["-p", "hi", "-o", "json", "-m", "gemini-2.5-pro"], { server }))
  expect(document).toMatchObject({ response: "Done.", full_response: "Let me look.\nDone." })
  expect(document).not.toHaveProperty("error")
  expect(document).toMatchObject({
    stats: {
      models: { [MODEL_VERSION]: { api: { totalRequests: 2, totalErrors: 0 }, tokens: { prompt: 20, total: 34 } } },
      tools: {
        totalCalls: 1,
        totalSuccess: 0,
        totalFail: 1,
        byName: { no_such_tool: { count: 1, success: 0, fail: 1 } }
      }
    }
  })
})

test("escape sequences never reach the document, not even with --raw-output", async () => {
  await using server = await startModelServer([say("\u001b[31mred\u001b[0m")])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "-o", "json", "--raw-output"], { server })
  expect(documentOf(result)).toMatchObject({ response: "red" })
})

test("thoughts count, but are not told", async () => {
  await using server = await startModelServer([
    answer([chunk(thought("Planning", "secret")), chunk(text("x")), finish("STOP", { thoughts: 7 })])
  ])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "-o", "json"], { server })
  expect(result.stdout).not.toContain("secret")
  expect(documentOf(result)).toMatchObject({ stats: { models: { [MODEL_VERSION]: { tokens: { thoughts: 7 } } } } })
})

testWith("jq")("jq reads it from a pipe", async () => {
  await using server = await startModelServer([say("piped")])
  await using place = await newWorkspace()
  const result = await place.shell('"$GEMINI" -p hi -o json | jq -r .response', { server })
  expect(result).toEqual({ stdout: "piped\n", stderr: "", exitCode: 0 })
})

describe("an answer that cannot be used", () => {
  test.each([
    ["blocked by a safety filter", answer([finish("SAFETY")]), "SAFETY_BLOCKED"],
    ["blocked prompt", answer([{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }]), undefined]
  ])("%s: exit 1 and a named error", async (_, reply, kind) => {
    await using server = await startModelServer(() => reply)
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-o", "json"], { server })
    expect(result.exitCode).toBe(1)
    expect(documentOf(result)).toMatchObject({
      error: { type: "INVALID_STREAM", message: expect.any(String) },
      completion_reason: "empty"
    })
    if (kind !== undefined) expect(result.stdout).toContain(kind)
  })
})
