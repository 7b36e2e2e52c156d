/** Which failures are tried again, how long, and what the person is told. Waits are real here, so the tests overlap. */
import { describe, expect, test } from "bun:test"
import { documentOf } from "./kit/documents.ts"
import { expectFailure, expectFailureDocument } from "./kit/expectations.ts"
import { DAILY_QUOTA, errorInfo, googleError, quotaFailure, retryInfo } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, type Reply, say, sent } from "./kit/replies.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

describe.concurrent("tried again", () => {
  test.each<[string, Reply]>([
    ["500", googleError(500, "internal error")],
    ["503", googleError(503, "the model is overloaded")],
    ["a 429 with a short wait", googleError(429, "slow down", [retryInfo("0.1s")])],
    ["a 429 with a Retry-After header", googleError(429, "slow down", [], { headers: { "retry-after": "1" } })],
    ["a 503 with an HTML body", { _tag: "Raw", status: 503, body: "<html>busy</html>" }],
    ["a connection that is reset before the answer", sent(answer([]), { ending: "reset" })]
  ])("%s, then an answer: success", async (_, reply) => {
    await using server = await startModelServer([reply, say("recovered")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { server })
    expect(result).toMatchObject({ stdout: "recovered\n", exitCode: 0 })
    expect(server.generations).toHaveLength(2)
  })

  test("a retry is told on stderr in one line, and counted", async () => {
    await using server = await startModelServer([googleError(503, "the model is overloaded"), say("recovered")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-o", "json", "-m", "m"], { server })
    expect(result.stderr).toContain("the model is overloaded")
    expect(result.stderr.trimEnd().split("\n")).toHaveLength(1)
    expect(documentOf(result)).toMatchObject({
      response: "recovered",
      stats: { models: { m: { api: { totalRequests: 1, totalErrors: 1 } } } }
    })
  })

  test("the number of attempts comes from the settings", async () => {
    await using server = await startModelServer(() => googleError(503, "overloaded"))
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{"general": {"maxAttempts": 2}}')
    expectFailure(await place.run(["-p", "hi"], { server }), 1, "overloaded")
    expect(server.generations).toHaveLength(2)
  })
})

describe("not tried again", () => {
  test.each<[string, Reply, string]>([
    ["a daily quota", googleError(429, "You exceeded your quota", [quotaFailure(DAILY_QUOTA)]), "daily"],
    ["a quota of zero", googleError(429, "Quota exceeded for metric x, limit: 0"), "limit: 0"],
    ["a wait that is too long", googleError(429, "later", [retryInfo("3600s")]), "later"],
    [
      "no capacity",
      googleError(429, "full", [errorInfo("INSUFFICIENT_G1_CREDITS_BALANCE", "x.googleapis.com")]),
      "full"
    ]
  ])("%s: fails at once and says why", async (_, reply, words) => {
    await using server = await startModelServer(() => reply)
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { server })
    expectFailure(result, 1)
    expect(result.stderr.toLowerCase()).toContain(words)
    expect(server.generations).toHaveLength(1)
  })

  test("json: the reason is quota, the status is kept", async () => {
    await using server = await startModelServer(() => googleError(429, "no more", [quotaFailure(DAILY_QUOTA)]))
    await using place = await newWorkspace()
    expectFailureDocument(await place.run(["-p", "hi", "-o", "json"], { server }), 1, {
      completion_reason: "quota",
      error: expect.objectContaining({ code: 429 })
    })
  })
})

test("a wait is given up when it does not fit --max-time", async () => {
  await using server = await startModelServer(() => googleError(429, "slow down", [retryInfo("120s")]))
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "--max-time", "2s", "-o", "json"], { server })
  expect([1, 53]).toContain(result.exitCode)
  expect(documentOf(result)).toHaveProperty("error")
})
