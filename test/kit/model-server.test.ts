/** The scripted server itself: other tests are worth as much as it is. */
import { describe, expect, test } from "bun:test"
import { googleError, retryInfo } from "./google-errors.ts"
import { violationOf } from "./history-rules.ts"
import { startModelServer } from "./model-server.ts"
import { answer, call, chunk, finish, html, MODEL_VERSION, type Reply, say, sent, text } from "./replies.ts"

const post = (url: string, path: string, body: unknown = { contents: [{ role: "user", parts: [{ text: "hi" }] }] }) =>
  fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body), headers: { "x-goog-api-key": "k" } })

const STREAM = "/v1beta/models/m1:streamGenerateContent?alt=sse"

const events = (body: string): ReadonlyArray<unknown> =>
  body
    .split("\r\n\r\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.replace(/^data: /, "")))

test("a stream is sent as events and the same answer as one document", async () => {
  await using server = await startModelServer([say("one ", "two"), say("one ", "two")])
  const streamed = events(await (await post(server.url, STREAM)).text())
  const whole = await (await post(server.url, "/v1beta/models/m1:generateContent")).json()
  expect(streamed).toHaveLength(3)
  expect(streamed[0]).toEqual(chunk(text("one ")))
  expect(whole).toMatchObject({
    candidates: [{ content: { role: "model", parts: [text("one "), text("two")] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10 },
    modelVersion: MODEL_VERSION
  })
})

test("requests are kept with path, model, operation, headers and body", async () => {
  await using server = await startModelServer([say("a"), say("b"), say("c")])
  await post(server.url, STREAM)
  await post(server.url, "/v1beta1/projects/p/locations/l/publishers/google/models/m2:generateContent")
  await post(server.url, "/v1beta1/publishers/google/models/m3:generateContent")
  expect(server.generations.map(({ model, operation }) => [model, operation])).toEqual([
    ["m1", "streamGenerateContent"],
    ["m2", "generateContent"],
    ["m3", "generateContent"]
  ])
  expect(server.requests[0]).toMatchObject({
    method: "POST",
    path: "/v1beta/models/m1:streamGenerateContent",
    headers: { "x-goog-api-key": "k" },
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    aborted: false
  })
  expect(server.requests[0]?.query.get("alt")).toBe("sse")
})

test("token counts and embeddings take no reply from the script", async () => {
  await using server = await startModelServer([say("a")])
  expect(await (await post(server.url, "/v1beta/models/m:countTokens")).json()).toEqual({ totalTokens: 14 })
  const batch = await post(server.url, "/v1beta/models/m:batchEmbedContents", { requests: [{}, {}] })
  expect(await batch.json()).toEqual({ embeddings: [{ values: [0.25, 0.5, 0.25] }, { values: [0.25, 0.5, 0.25] }] })
  expect((await post(server.url, "/token")).status).toBe(200)
  expect((await post(server.url, "/nowhere")).status).toBe(404)
  expect(await (await post(server.url, STREAM)).text()).toContain('"a"')
})

test("a script that is used up answers 400 and says so", async () => {
  await using server = await startModelServer([])
  const response = await post(server.url, STREAM)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain("the script has 0 replies")
})

describe("manners", () => {
  const bodyOf = async (reply: Reply) => {
    await using server = await startModelServer([reply])
    const response = await post(server.url, STREAM)
    return await response.text().then(
      (body) => ({ body, complete: true }),
      () => ({ body: "", complete: false })
    )
  }

  test("a body split at every byte arrives unchanged", async () => {
    expect(await bodyOf(sent(say("größe 🎉"), { splitAt: "byte" }))).toEqual(await bodyOf(say("größe 🎉")))
  })
  test("a body split at positions arrives unchanged", async () => {
    expect(await bodyOf(sent(say("größe"), { splitAt: [3, 10_000, 60] }))).toEqual(await bodyOf(say("größe")))
  })
  test.each(["cut", "reset"] as const)("%s breaks the body", async (ending) => {
    expect((await bodyOf(sent(say("half"), { ending }))).complete).toBe(false)
  })
  test("an error has Google's body, an HTML page has none", async () => {
    await using server = await startModelServer([googleError(429, "slow down", [retryInfo("2s")]), html(502)])
    expect(await (await post(server.url, STREAM)).json()).toMatchObject({
      error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "2s" }] }
    })
    expect((await post(server.url, STREAM)).headers.get("content-type")).toStartWith("text/html")
  })
})

test("a client that leaves is noticed", async () => {
  await using server = await startModelServer([answer([chunk(text("begin"))], { ending: "hang" })])
  const abort = new AbortController()
  const response = await fetch(`${server.url}${STREAM}`, { method: "POST", body: "{}", signal: abort.signal })
  await response.body?.getReader().read()
  abort.abort()
  await server.someoneLeft()
  expect(server.requests[0]?.aborted).toBe(true)
})

describe("strict mode", () => {
  const user = (...parts: ReadonlyArray<unknown>) => ({ role: "user", parts })
  const model = (...parts: ReadonlyArray<unknown>) => ({ role: "model", parts })
  const response = (name: string, id?: string) => ({ functionResponse: { name, id, response: {} } })
  const signed = call("ls", {}, { id: "1", signature: "s" })

  test.each<[string, unknown, string | undefined]>([
    ["a question", { contents: [user(text("hi"))] }, undefined],
    ["a call with its response", { contents: [user(text("x")), model(call("ls")), user(response("ls"))] }, undefined],
    ["no contents", { contents: [] }, "not specified"],
    ["a model that begins", { contents: [model(text("x"))] }, "begins with the user"],
    ["two of a role", { contents: [user(text("x")), user(text("y"))] }, "in a row"],
    ["a model at the end", { contents: [user(text("x")), model(text("y"))] }, "last content"],
    ["empty parts", { contents: [user()] }, "must not be empty"],
    ["a part without data", { contents: [user({ thoughtSignature: "x" })] }, "oneof"],
    ["a call without response", { contents: [user(text("x")), model(call("ls")), user(text("y"))] }, "must equal"],
    ["a response without call", { contents: [user(text("x")), model(text("y")), user(response("ls"))] }, "must equal"],
    ["a response first", { contents: [user(response("ls"))] }, "must come after"],
    ["another name", { contents: [user(text("x")), model(call("ls")), user(response("rm"))] }, "answers no"],
    ["another id", { contents: [user(text("x")), model(signed), user(response("ls", "2"))] }, "answers no"],
    ["a strange role", { contents: [{ role: "system", parts: [text("x")] }] }, "valid roles"]
  ])("%s", (_, body, expected) => {
    const violation = violationOf(body)
    if (expected === undefined) expect(violation).toBeUndefined()
    else expect(violation).toContain(expected)
  })

  test("signatures are asked for in the current turn only, when wanted", () => {
    const old = [user(text("a")), model(call("ls")), user(response("ls")), model(text("done"))]
    const body = (first: unknown) => ({ contents: [...old, user(text("b")), model(first), user(response("ls", "1"))] })
    expect(violationOf(body(signed), { signatures: true })).toBeUndefined()
    expect(violationOf(body(call("ls", {}, { id: "1" })), { signatures: true })).toContain("thought_signature")
    expect(violationOf(body(call("ls", {}, { id: "1" })))).toBeUndefined()
  })

  test.each<[string, unknown, string | undefined]>([
    ["a plain schema", { type: "object", properties: { a: { type: "string" } }, required: ["a"] }, undefined],
    ["an unknown keyword", { type: "object", $schema: "x" }, "unknown keyword"],
    ["an unknown keyword below", { type: "object", properties: { a: { allOf: [] } } }, "parameters.a: unknown keyword"],
    ["a required stranger", { type: "object", properties: {}, required: ["b"] }, 'property "b" is not defined']
  ])("declarations: %s", (_, parametersJsonSchema, expected) => {
    const tools = [{ functionDeclarations: [{ name: "t", parametersJsonSchema }] }]
    const violation = violationOf({ contents: [user(text("x"))], tools })
    if (expected === undefined) expect(violation).toBeUndefined()
    else expect(violation).toContain(expected)
  })

  test("a refused request does not use up a reply", async () => {
    await using server = await startModelServer([answer([finish("STOP", {}, [text("ok")])])], { strict: true })
    expect((await post(server.url, STREAM, { contents: [] })).status).toBe(400)
    expect(await (await post(server.url, STREAM)).text()).toContain('"ok"')
  })
})
