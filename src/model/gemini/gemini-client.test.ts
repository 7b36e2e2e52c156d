import { describe, expect } from "bun:test"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Duration, Effect, Fiber, Option, Random, Redacted, TestClock } from "effect"
import { errorBody, googleError, retryInfo } from "../../../test/kit/google-errors.ts"
import { it } from "../../../test/kit/it.ts"
import { type ModelServer, type Script, startModelServer } from "../../../test/kit/model-server.ts"
import { answer, chunk, finish, type Reply, raw, say, sent, text } from "../../../test/kit/replies.ts"
import type { AuthPlan } from "../../auth/auth-plan.ts"
import * as Flow from "../../kernel/flow.ts"
import { userText } from "../../protocol/content.ts"
import { PromptId } from "../../protocol/ids.ts"
import type { ModelError } from "../../retry/model-error.ts"
import { make } from "../../system/http/http.ts"
import type { ClientOptions } from "../load-client.ts"
import type { ModelClient, ModelRequest } from "../model-client.ts"
import "../retried-request.ts"
import { withRetry } from "../with-retry.ts"
import * as GeminiClient from "./gemini-client.ts"

const identity = { version: "1.0.0", platform: "linux", arch: "x64", osVersion: "6" }
const request: ModelRequest = {
  model: "gemini-test",
  contents: [userText("hello")],
  systemInstruction: "be brief",
  config: {
    temperature: 0.5,
    tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }]
  },
  role: "main",
  promptId: PromptId.make("s########1")
}

type KeyPlan = Parameters<typeof GeminiClient.make>[0]

const keyPlan = (url: string, fields: Partial<Extract<AuthPlan, { _tag: "ApiKey" }>> = {}): KeyPlan => ({
  _tag: "ApiKey",
  authType: "gemini-api-key",
  key: Redacted.make("secret"),
  mechanism: "x-goog-api-key",
  baseUrl: new URL(url),
  ...fields
})

const serving = (script: Script) =>
  Effect.acquireRelease(
    Effect.promise(() => startModelServer(script)),
    (server) => Effect.promise(() => server.close())
  )

const clientOf = (server: ModelServer, options: Partial<ClientOptions> = {}, plan = keyPlan(server.url)) =>
  Effect.sync(() => {
    const { variables = {} } = options
    return GeminiClient.make(plan, { identity, variables, http: make({ variables }), ...options })
  })

/** The text of every chunk, and the failure that ended the stream. */
const collect = (client: ModelClient["Type"]) =>
  Effect.gen(function* () {
    const texts: Array<string> = []
    const failure = yield* client.stream(request).pipe(
      Flow.runForEach((event) =>
        Effect.sync(() => {
          if (event._tag !== "Chunk") return
          texts.push(
            (event.chunk.candidates ?? [])
              .flatMap((c) => c.content?.parts ?? [])
              .map((p) => p.text ?? "")
              .join("")
          )
        })
      ),
      Effect.as<ModelError | undefined>(undefined),
      Effect.catchAll((error) => Effect.succeed(error))
    )
    return { texts, failure }
  })

const outcomeOf = (reply: Reply) =>
  Effect.gen(function* () {
    const server = yield* serving([reply])
    const { failure, texts } = yield* collect(yield* clientOf(server))
    return { texts, kind: failure?.kind, phase: failure?.phase, detail: failure?.detail, errorType: failure?.errorType }
  })

const twoChunks = answer([chunk(text("Grüße, ")), finish("STOP", {}, [text("世界 😀")])])

describe("the request", () => {
  it.live("carries the conversation, the configuration and who we are", () =>
    Effect.gen(function* () {
      const server = yield* serving([say("hi")])
      yield* collect(yield* clientOf(server, { variables: { GEMINI_CLI_CUSTOM_HEADERS: "X-Team: a, b" } }))
      const [sent] = server.requests
      expect(sent?.path).toBe("/v1beta/models/gemini-test:streamGenerateContent")
      expect(sent?.query.get("alt")).toBe("sse")
      expect(sent?.body).toEqual({
        contents: [{ role: "user", parts: [{ text: "hello" }] }],
        systemInstruction: { role: "user", parts: [{ text: "be brief" }] },
        tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }],
        generationConfig: { temperature: 0.5 }
      })
      expect(sent?.headers).toMatchObject({
        "x-goog-api-key": "secret",
        "x-team": "a, b",
        "user-agent": "GeminiCLI/1.0.0/gemini-test (linux; x64; terminal)",
        "content-type": "application/json"
      })
      expect(sent?.headers.authorization).toBeUndefined()
      expect(sent?.headers["x-gemini-api-privileged-user-id"]).toBeUndefined()
    })
  )

  it.live("keeps parts of kinds that we do not know", () =>
    Effect.gen(function* () {
      const server = yield* serving([say("hi")])
      const client = yield* clientOf(server)
      const part = { text: "x", thoughtSignature: "sig", newKind: { deep: [1] } }
      yield* Flow.runDrain(client.stream({ ...request, contents: [{ role: "user", parts: [part] }] }))
      expect(server.requests[0]?.body).toMatchObject({ contents: [{ role: "user", parts: [part] }] })
    })
  )

  it.live("sends the key as bearer too, another version, and a model with its prefix", () =>
    Effect.gen(function* () {
      const server = yield* serving([say("hi")])
      const client = yield* clientOf(
        server,
        { variables: { GOOGLE_GENAI_API_VERSION: "v1alpha" } },
        keyPlan(`${server.url}/`, { mechanism: "bearer" })
      )
      yield* Flow.runDrain(client.stream({ ...request, model: "models/gemini-test" }))
      expect(server.requests[0]?.path).toBe("/v1alpha/models/gemini-test:streamGenerateContent")
      expect(server.requests[0]?.headers.authorization).toBe("Bearer secret")
    })
  )

  it.live("of a gateway without a key has an empty key header", () =>
    Effect.gen(function* () {
      const server = yield* serving([say("hi")])
      const plan: KeyPlan = {
        _tag: "Gateway",
        authType: "gateway",
        key: Redacted.make(""),
        mechanism: "x-goog-api-key",
        baseUrl: new URL(`${server.url}/prefix`)
      }
      yield* Effect.flip(Flow.runDrain((yield* clientOf(server, {}, plan)).stream(request)))
      expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("")
      expect(server.requests[0]?.path).toBe("/prefix/v1beta/models/gemini-test:streamGenerateContent")
    })
  )

  it.live("of Vertex express names the publisher and the routing", () =>
    Effect.gen(function* () {
      const server = yield* serving([say("hi")])
      const plan: KeyPlan = {
        _tag: "VertexExpress",
        authType: "vertex-ai",
        key: Redacted.make("k"),
        mechanism: "x-goog-api-key",
        baseUrl: new URL(server.url)
      }
      yield* collect(yield* clientOf(server, { vertexRouting: { requestType: "shared" } }, plan))
      expect(server.requests[0]?.path).toBe("/v1beta1/publishers/google/models/gemini-test:streamGenerateContent")
      expect(server.requests[0]?.headers["x-vertex-ai-llm-request-type"]).toBe("shared")
    })
  )

  it.live("goes through the proxy, unless the host is exempt", () =>
    Effect.gen(function* () {
      const proxy = yield* serving(() => say("by proxy"))
      const server = yield* serving(() => say("direct"))
      const variables = { HTTPS_PROXY: proxy.url }
      const plan = keyPlan("http://api.invalid")
      expect((yield* collect(yield* clientOf(server, { variables }, plan))).texts[0]).toBe("by proxy")
      expect(proxy.requests[0]?.headers.host).toBe("api.invalid")
      const exempt = { ...variables, NO_PROXY: "127.0.0.1" }
      expect((yield* collect(yield* clientOf(server, { variables: exempt }))).texts[0]).toBe("direct")
    })
  )

  it.live("that cannot be written is refused before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* serving([say("hi")])
      const client = yield* clientOf(server)
      const error = yield* Effect.flip(Flow.runDrain(client.stream({ ...request, model: "../evil" })))
      expect([error.kind, error.phase]).toEqual(["bad-request", "open"])
      const badKey = yield* clientOf(server, {}, keyPlan(server.url, { key: Redacted.make("“k”\u{1f511}") }))
      expect((yield* Effect.flip(Flow.runDrain(badKey.stream(request)))).kind).toBe("auth")
      expect(server.requests).toEqual([])
    })
  )
})

describe("over TLS", () => {
  const openssl = Bun.which("openssl")
  const secured = Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "tls-"))
      const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
      const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
      const files = ["-keyout", key, "-out", cert]
      execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
        stdio: "ignore"
      })
      const body = `data: ${JSON.stringify(chunk(text("safe")))}\n\n`
      const server = Bun.serve({
        port: 0,
        tls: { key: readFileSync(key), cert: readFileSync(cert) },
        fetch: () => new Response(body)
      })
      return { folder, cert, server, plan: keyPlan(`https://localhost:${server.port}`) }
    }),
    ({ folder, server }) =>
      Effect.promise(() => server.stop(true)).pipe(
        Effect.zipRight(Effect.sync(() => rmSync(folder, { recursive: true })))
      )
  )

  if (openssl !== null) {
    it.live("an unknown certificate is refused for good, an extra one is trusted", () =>
      Effect.gen(function* () {
        const { cert, plan } = yield* secured
        const unused = yield* serving([])
        const { failure } = yield* collect(yield* clientOf(unused, {}, plan))
        expect([failure?.kind, failure?.isRetryable]).toEqual(["unreachable", false])
        expect(failure?.detail).toContain("certificate is not trusted")
        const trusted = yield* collect(
          yield* clientOf(unused, { http: make({ variables: {}, extraCertificates: cert }) }, plan)
        )
        expect(trusted).toEqual({ texts: ["safe"], failure: undefined })
      })
    )
  }
})

describe("the answer", () => {
  it.live("is the same when every byte comes alone", () =>
    Effect.gen(function* () {
      const expected = {
        texts: ["Grüße, ", "世界 😀"],
        kind: undefined,
        phase: undefined,
        detail: undefined,
        errorType: undefined
      }
      expect(yield* outcomeOf(twoChunks)).toEqual(expected)
      expect(yield* outcomeOf(sent(twoChunks, { splitAt: "byte" }))).toEqual(expected)
    })
  )

  it.live("keeps unknown fields and both spellings of citations", () =>
    Effect.gen(function* () {
      const first = {
        candidates: [{ citationMetadata: { citationSources: [{ uri: "u" }] }, newField: 1 }],
        other: { x: 1 }
      }
      const second = { candidates: [{ citationMetadata: { citations: [{ uri: "v", title: "t" }] } }] }
      const server = yield* serving([{ _tag: "Answer", chunks: [first, second] }])
      const client = yield* clientOf(server)
      const events = yield* Flow.runCollect(client.stream(request))
      const chunks: ReadonlyArray<unknown> = [...events].map((event) => (event._tag === "Chunk" ? event.chunk : event))
      expect(chunks).toEqual([
        { candidates: [{ citationMetadata: { citations: [{ uri: "u" }] }, newField: 1 }], other: { x: 1 } },
        second
      ])
    })
  )

  const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
  const good = data(chunk(text("a")))
  type Row = readonly [
    name: string,
    reply: Reply,
    texts: ReadonlyArray<string>,
    kind: string | undefined,
    phase: string | undefined,
    detail: RegExp
  ]
  const rows: ReadonlyArray<Row> = [
    ["an empty body", raw(""), [], undefined, undefined, /^$/],
    ["only comments", raw(": ping\n\n"), [], undefined, undefined, /^$/],
    ["no empty line at the end", raw(good.trimEnd()), ["a"], undefined, undefined, /^$/],
    ["the end marker of another vendor", raw(`${good}data: [DONE]\n\n`), ["a"], undefined, undefined, /^$/],
    ["cut in the middle of a chunk", raw(`${good}data: {"candidates": [{"con`), ["a"], "network", "body", /broke off/],
    ["a chunk that is no JSON", raw(`${good}data: {oops\n\n`), ["a"], "bad-response", "body", /\{oops/],
    [
      "a chunk of a wrong shape",
      raw(`${good}data: {"candidates": 7}\n\n`),
      ["a"],
      "bad-response",
      "body",
      /candidates/
    ],
    [
      "a page with status 200",
      raw("<html><title>Log in</title></html>", { type: "text/html" }),
      [],
      "bad-response",
      "open",
      /HTML page titled "Log in"/
    ],
    [
      "plain text with status 200",
      raw("data center offline", { type: "text/plain" }),
      [],
      "bad-response",
      "open",
      /data center offline/
    ],
    [
      "an error object with status 200",
      raw(JSON.stringify(errorBody(429, "slow", [retryInfo("3s")])), { type: "application/json" }),
      [],
      "rate-limited",
      "open",
      /slow/
    ],
    [
      "the same in a list",
      raw(JSON.stringify([errorBody(503, "busy")]), { type: "application/json" }),
      [],
      "unavailable",
      "open",
      /busy/
    ],
    ["an error event at the start", raw(data(errorBody(503, "busy"))), [], "unavailable", "open", /busy/],
    ["an error event later", raw(good + data(errorBody(503, "busy"))), ["a"], "unavailable", "body", /busy/],
    [
      "an answer in one document",
      raw(JSON.stringify([chunk(text("a")), chunk(text("b"))]), { type: "application/json" }),
      ["a", "b"],
      undefined,
      undefined,
      /^$/
    ],
    ["a connection that is cut", raw(good, { gapMs: 100, ending: "cut" }), ["a"], "network", "body", /closed/],
    ["a connection that is reset", raw(good, { gapMs: 100, ending: "reset" }), ["a"], "network", "body", /closed/],
    ["a 400", googleError(400, "bad field"), [], "bad-request", "open", /bad field/],
    [
      "a redirect",
      { _tag: "Raw", status: 302, headers: { location: "https://elsewhere.test/" }, body: "" },
      [],
      "bad-response",
      "open",
      /elsewhere\.test/
    ]
  ]
  for (const [name, reply, texts, kind, phase, detail] of rows) {
    it.live(name, () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(reply)
        expect([outcome.texts, outcome.kind, outcome.phase]).toEqual([[...texts], kind, phase] as never)
        expect(outcome.detail ?? "").toMatch(detail)
      })
    )
  }

  it.live("of a refusal brings the wait that its header asks for", () =>
    Effect.gen(function* () {
      const server = yield* serving([googleError(503, "busy", [], { headers: { "retry-after": "7" } })])
      const { failure } = yield* collect(yield* clientOf(server))
      expect([failure?.kind, failure?.status, String(failure?.retryAfter)]).toEqual([
        "unavailable",
        503,
        "Duration(7s)"
      ])
    })
  )
})

describe("bounded waits", () => {
  it.effect("60 s for the headers, named in the error", () =>
    Effect.gen(function* () {
      const server = yield* serving([sent(say("late"), { delayMs: 600_000 })])
      const fiber = yield* Effect.fork(collect(yield* clientOf(server)))
      yield* Effect.promise(() => server.received(1))
      yield* TestClock.adjust("60 seconds")
      const { failure } = yield* Fiber.join(fiber)
      expect([failure?.kind, failure?.phase, failure?.detail]).toEqual([
        "timeout",
        "open",
        `the server did not begin to answer within 1m: ${new URL(server.url).host}`
      ])
      yield* Effect.promise(() => server.someoneLeft())
    })
  )

  it.effect("300 s between two pieces of the answer, named in the error", () =>
    Effect.gen(function* () {
      const server = yield* serving([sent(twoChunks, { ending: "hang" })])
      const client = yield* clientOf(server)
      const cameAll = yield* Deferred.make<void>()
      let count = 0
      const run = Flow.runForEach(client.stream(request), () =>
        ++count === 2 ? Deferred.succeed(cameAll, undefined) : Effect.void
      )
      const fiber = yield* Effect.fork(Effect.flip(run))
      yield* Deferred.await(cameAll)
      yield* TestClock.adjust("299 seconds")
      expect(yield* Fiber.poll(fiber)).toEqual(Option.none())
      yield* TestClock.adjust("1 seconds")
      const failure = yield* Fiber.join(fiber)
      expect([failure.kind, failure.phase, failure.detail]).toEqual([
        "silent",
        "body",
        `the answer stopped: nothing whole came for 5m: ${new URL(server.url).host}`
      ])
      yield* Effect.promise(() => server.someoneLeft())
    })
  )

  it.effect("3 minutes for the first event, over all attempts", () =>
    Effect.gen(function* () {
      const server = yield* serving(() => sent(say("late"), { delayMs: 600_000 }))
      const client = withRetry(yield* clientOf(server), {})
      const fiber = yield* Effect.fork(Effect.withRandom(collect(client), Random.fixed([0.5])))
      // Two attempts of a minute, the pauses behind them, and what is left.
      for (const [attempts, pause] of [
        [1, 60],
        [1, 5],
        [2, 60],
        [2, 10]
      ] as const) {
        yield* Effect.promise(() => server.received(attempts))
        yield* TestClock.adjust(Duration.seconds(pause))
      }
      yield* Effect.promise(() => server.received(3))
      yield* TestClock.adjust("45 seconds")
      const { failure } = yield* Fiber.join(fiber)
      expect([failure?.kind, failure?.detail]).toEqual([
        "silent",
        `the model did not begin to answer within 3m: ${new URL(server.url).host}`
      ])
      expect(server.requests).toHaveLength(3)
    })
  )

  it.live("interruption closes the connection", () =>
    Effect.gen(function* () {
      const server = yield* serving([sent(twoChunks, { ending: "hang" })])
      const client = yield* clientOf(server)
      let seen = 0
      expect(yield* Flow.runUntil(client.stream(request), () => Effect.sync(() => ++seen === 2))).toBe(true)
      expect(seen).toBe(2)
      yield* Effect.promise(() => server.someoneLeft())

      const hanging = yield* serving([sent(twoChunks, { ending: "hang" })])
      const fiber = yield* Effect.fork(collect(yield* clientOf(hanging)))
      yield* Effect.promise(() => hanging.received(1))
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => hanging.someoneLeft())
    })
  )
})

describe("other calls", () => {
  it.live("generate", () =>
    Effect.gen(function* () {
      const server = yield* serving([say("whole"), raw("<html>", { type: "text/html" }), googleError(404, "no model")])
      const client = yield* clientOf(server)
      expect((yield* client.generate(request)).candidates?.[0]?.content?.parts).toEqual([{ text: "whole" }])
      expect(server.requests[0]?.operation).toBe("generateContent")
      expect((yield* Effect.flip(client.generate(request))).kind).toBe("bad-response")
      expect((yield* Effect.flip(client.generate(request))).kind).toBe("not-found")
    })
  )

  it.live("countTokens and embed", () =>
    Effect.gen(function* () {
      const server = yield* serving([])
      const client = yield* clientOf(server)
      expect(yield* client.countTokens(request)).toBeGreaterThan(0)
      expect(server.requests[0]?.body).toEqual({ contents: request.contents })
      expect(yield* client.embed({ model: "gemini-embedding-001", texts: ["a", "b"] })).toEqual([
        [0.25, 0.5, 0.25],
        [0.25, 0.5, 0.25]
      ])
    })
  )
})
