/** What a network makes of an answer: pieces, cuts, foreign pages, unknown fields. */
import { describe, expect, test } from "bun:test"
import { documentOf } from "./kit/documents.ts"
import { expectFailure, expectFailureDocument, expectFailureEvents } from "./kit/expectations.ts"
import { errorBody } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, chunk, empty, finish, html, type Reply, raw, say, sent, text } from "./kit/replies.ts"
import { eventsOf } from "./kit/reply-bytes.ts"
import { newWorkspace } from "./kit/run-gemini.ts"

describe("an answer arrives whole", () => {
  const unusual = { ...chunk(text("größe 🎉 ")), newField: { deep: [1, 2, { x: null }] }, responseId: "r-1" }

  test.each([
    ["split at every byte", answer([unusual, finish("STOP", {}, [text("end")])], { splitAt: "byte" as const })],
    [
      "split inside letters",
      answer([unusual, finish("STOP", {}, [text("end")])], { splitAt: [70, 71, 72, 73, 74, 75] })
    ],
    [
      "with bare line feeds",
      raw(`data: ${JSON.stringify(unusual)}\n\ndata: ${JSON.stringify(finish("STOP", {}, [text("end")]))}\n\n`)
    ],
    [
      "with comments, other fields and an unfinished last line",
      raw(
        `: keep-alive\r\nevent: message\r\nid: 7\r\n${eventsOf([unusual])}: ping\r\n\r\ndata: ${JSON.stringify(finish("STOP", {}, [text("end")]))}`
      )
    ]
  ])("%s", async (_, reply) => {
    await using server = await startModelServer([reply])
    await using place = await newWorkspace()
    expect(await place.run(["-p", "hi"], { server })).toEqual({ stdout: "größe 🎉 end\n", stderr: "", exitCode: 0 })
  })

  test("with parts of a kind that we do not know", async () => {
    await using server = await startModelServer([
      answer([chunk({ hologram: { url: "x" } }), chunk(text("seen")), finish("STOP")])
    ])
    await using place = await newWorkspace()
    expect((await place.run(["-p", "hi"], { server })).stdout).toBe("seen\n")
  })
})

const errorWith200 = (body: object): Reply => raw(JSON.stringify(body), { status: 200, type: "application/json" })

describe("not an answer", () => {
  test.each([
    ["an HTML page (200)", html(200)],
    ["an HTML page (403)", html(403)],
    ["an HTML page (404)", html(404)],
    ["plain text that is no event", raw("hello there")],
    ["broken JSON in an event", raw('data: {"candidates": [{"content"\r\n\r\n')],
    ["an event that is no object", raw("data: [1, 2, 3]\r\n\r\n")]
  ])("%s: one line, exit 1", async (_, reply) => {
    await using server = await startModelServer(() => reply)
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { server })
    expectFailure(result, 1)
    expect(result.stdout).toBe("")
    expect(result.stderr).not.toContain("<html")
  })

  test.each<[string, Reply, string, string]>([
    ["an error in place of an answer", errorWith200(errorBody(400, "no such field")), "api", "no such field"],
    ["an error of another kind", errorWith200(errorBody(429, "Quota exceeded, limit: 0")), "quota", "limit: 0"],
    [
      "an error in an event",
      raw(`data: ${JSON.stringify(errorBody(403, "not for you"))}\r\n\r\n`),
      "auth",
      "not for you"
    ]
  ])("%s, under status 200: the error is told for what it is", async (_, reply, reason, words) => {
    await using server = await startModelServer(() => reply)
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-m", "flash", "-o", "json"], { server })
    const { error } = expectFailureDocument(result, reason === "auth" ? 41 : 1, { completion_reason: reason })
    expect(JSON.stringify(error)).toContain(words)
    expect(server.generations).toHaveLength(1)
  })

  test("an HTML page names the address that sent it", async () => {
    await using server = await startModelServer(() => html(200))
    await using place = await newWorkspace()
    expectFailure(await place.run(["-p", "hi"], { server }), 1, new URL(server.url).host)
  })

  test("json: one document", async () => {
    await using server = await startModelServer(() => html(200))
    await using place = await newWorkspace()
    expectFailureDocument(await place.run(["-p", "hi", "-o", "json"], { server }), 1, { completion_reason: "api" })
  })
})

describe("a stream that breaks after text was shown", () => {
  /** The connection goes when the text has been shown. */
  const runUntilBroken = async (ending: "cut" | "reset", args: ReadonlyArray<string>) => {
    const shown = Promise.withResolvers<void>()
    const half = answer([chunk(text("half an ans"))], { ending, endsAfter: shown.promise })
    await using server = await startModelServer([half, say("never")])
    await using place = await newWorkspace()
    const run = place.start(["-p", "hi", ...args], { server })
    while (!run.stdoutSoFar().includes("half an ans")) await Bun.sleep(10)
    shown.resolve()
    const result = await run.result
    expect(server.generations).toHaveLength(1)
    return result
  }

  test.each(["cut", "reset"] as const)("%s: the text stays, exit 1, no second request", async (ending) => {
    const result = await runUntilBroken(ending, [])
    expectFailure(result, 1)
    expect(result.stdout).toBe("half an ans\n")
  })

  test("stream-json: the deltas stand, then an error result", async () => {
    expectFailureEvents(await runUntilBroken("cut", ["-o", "stream-json"]), 1, { completion_reason: "api" })
  })

  test("an end without a finish reason is not success", async () => {
    await using server = await startModelServer([answer([chunk(text("half"))])])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi"], { server })
    expectFailure(result, 1)
    expect(result.stdout).toBe("half\n")
  })
})

describe.concurrent("a stream that breaks before anything was shown", () => {
  test("json drops the half and asks again", async () => {
    await using server = await startModelServer([answer([chunk(text("half"))], { ending: "cut" }), say("whole")])
    await using place = await newWorkspace()
    const result = await place.run(["-p", "hi", "-o", "json"], { server })
    expect(documentOf(result)).toMatchObject({ response: "whole", completion_reason: "success" })
    expect(server.generations).toHaveLength(2)
  })

  test("text asks again when no text had come", async () => {
    await using server = await startModelServer([sent(answer([]), { ending: "cut" }), say("second try")])
    await using place = await newWorkspace()
    expect((await place.run(["-p", "hi"], { server })).stdout).toBe("second try\n")
  })

  test("an empty body is asked for again, then is an error", async () => {
    await using server = await startModelServer(() => empty())
    await using place = await newWorkspace()
    await place.write("home/.gemini/settings.json", '{"general": {"maxAttempts": 2}}')
    const result = await place.run(["-p", "hi"], { server })
    expectFailure(result, 1)
    expect(server.generations.length).toBeGreaterThan(1)
  })

  test("an empty answer is asked for again", async () => {
    await using server = await startModelServer([answer([finish("STOP")]), say("now")])
    await using place = await newWorkspace()
    expect(await place.run(["-p", "hi"], { server })).toMatchObject({ stdout: "now\n", exitCode: 0 })
  })
})

test("a model that never ends is bounded by --max-time, which names itself", async () => {
  await using server = await startModelServer([answer([chunk(text("and "))], { ending: "hang" })])
  await using place = await newWorkspace()
  const result = await place.run(["-p", "hi", "--max-time", "1s", "-o", "json"], { server })
  expectFailureDocument(result, 53, {
    completion_reason: "timeout",
    error: expect.objectContaining({ message: expect.stringContaining("--max-time") })
  })
  await server.someoneLeft()
})
