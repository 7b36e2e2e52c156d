/** `web_fetch` in both forms and `google_web_search`, with a scripted model and servers on this machine. */
import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { listening } from "../../test/kit/heard.ts"
import { it } from "../../test/kit/it.ts"
import { runCall } from "../../test/kit/tool-call.ts"
import { answer, type ScriptedModel, scriptedModel, webLayer, webServer } from "../../test/kit/web-room.ts"
import { untrusted } from "../kernel/prompt-frames.ts"
import type { ModelClient, ModelRequest } from "../model/model-client.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { googleWebSearch } from "./google-web-search.tool.ts"
import type { Tool } from "./tool.ts"
import type { WebClient } from "./web/web-client.ts"
import { webFetch } from "./web-fetch.tool.ts"
import { webFetchDirect } from "./web-fetch-direct.tool.ts"

const GROUNDING = {
  groundingMetadata: {
    groundingChunks: [{ web: { uri: "https://a.com", title: "A" } }],
    groundingSupports: [{ segment: { endIndex: 6 }, groundingChunkIndices: [0] }]
  }
}

const PAGE = `<html><head><style>x{}</style></head><body><h1>Title</h1><p>Text <a href="/next">link</a><img src="i.png" alt="pic"></p></body></html>`

type Needs = ModelClient | UtilityModels | WebClient

const services = (model: ScriptedModel) => Layer.merge(model.layer, webLayer())

const call = <R extends Needs>(tool: Tool<R>, args: unknown, model = scriptedModel([])) =>
  runCall(tool, args).pipe(Effect.provide(services(model)))

const failure = <R extends Needs>(tool: Tool<R>, args: unknown, model = scriptedModel([])) =>
  Effect.map(Effect.flip(call(tool, args, model)), ({ message, type }) => `${type}: ${message}`)

const promptOf = (request: ModelRequest | undefined) => request?.contents[0]?.parts[0]?.text ?? ""

it.live("the model opens the pages itself; marks and sources are added", () =>
  Effect.gen(function* () {
    const model = scriptedModel([answer("Größe is known.", GROUNDING)])
    const prompt = "Say <b> of https://WWW.site.test:80/a/ and http://www.site.test/a"
    const output = yield* call(webFetch, { prompt }, model)
    expect(output.forModel).toBe(untrusted("Größ[1]e is known.\n\nSources:\n[1] A (https://a.com)"))
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]).toMatchObject({
      model: "model-for-web-fetch",
      config: { alias: "web-fetch" },
      role: "utility_tool",
      promptId: "p########1"
    })
    expect(promptOf(model.requests[0])).toContain("<instructions>\nSay &lt;b&gt; of ")
    expect(promptOf(model.requests[0])).toContain("<urls>\nhttps://www.site.test:80/a\nhttp://www.site.test/a\n</urls>")
  })
)

it.live("arguments without a usable URL are refused, with every reason", () =>
  Effect.gen(function* () {
    expect(yield* failure(webFetch, { prompt: " " })).toStartWith("invalid_tool_params: The prompt is empty")
    expect(yield* failure(webFetch, { prompt: "no address" })).toStartWith("invalid_tool_params: The prompt has no URL")
    expect(yield* failure(webFetch, { prompt: "ftp://a.com http://" })).toBe(
      'invalid_tool_params: Only http and https are fetched: "ftp://a.com"; Not a valid URL: "http://"'
    )
    const many = Array.from({ length: 21 }, (_, index) => `https://site.test/${index}`).join(" ")
    expect(yield* failure(webFetch, { prompt: many })).toStartWith("invalid_tool_params: The prompt has 21 URLs")
    expect(yield* failure(webFetch, {})).toStartWith("invalid_tool_params")
  })
)

it.live("private addresses are left out and named; with nothing left nothing is asked", () =>
  Effect.gen(function* () {
    const model = scriptedModel([answer("fine")])
    const output = yield* call(webFetch, { prompt: "http://localhost/x https://a.site.test" }, model)
    expect(output.forModel).toContain(
      "[Warning: not fetched: http://localhost/x: localhost is a name of a private network]"
    )
    expect(promptOf(model.requests[0])).toContain("<urls>\nhttps://a.site.test/\n</urls>")
    const idle = scriptedModel([])
    expect(yield* failure(webFetch, { prompt: "http://169.254.169.254/ http://x.private.test" }, idle)).toStartWith(
      "web_fetch_processing_error: No page was fetched. "
    )
    expect(idle.requests).toEqual([])
  })
)

it.live("pages that the model cannot open are fetched from here and read to it", () =>
  Effect.gen(function* () {
    const port = yield* webServer((request) =>
      new URL(request.url).pathname === "/page"
        ? new Response(PAGE, { headers: { "content-type": "text/html; charset=utf-8" } })
        : new Response("gone", { status: 404 })
    )
    const prompt = `Summarize http://a.site.test:${port}/page and http://a.site.test:${port}/none`
    for (const first of [
      null,
      answer(""),
      answer("I cannot", {
        urlContextMetadata: { urlMetadata: [{ urlRetrievalStatus: "URL_RETRIEVAL_STATUS_ERROR" }] }
      })
    ]) {
      const model = scriptedModel([first, answer("summary")])
      const { logs, recording } = listening()
      const output = yield* Effect.provideService(call(webFetch, { prompt }, model), Telemetry, recording)
      expect(logs).toContainEqual({
        name: "gemini_cli.web_fetch_fallback_attempt",
        attributes: { reason: "primary_failed" }
      })
      expect(output.forModel).toBe(
        untrusted(
          `[Warning: not fetched: http://a.site.test:${port}/none: the server answered with status 404]\n\nsummary`
        )
      )
      expect(model.requests[1]?.model).toBe("model-for-web-fetch-fallback")
      const read = promptOf(model.requests[1])
      expect(read).toContain(`<source url="http://a.site.test:${port}/page">\nTITLE\n\nText link\n</source>`)
      expect(read).not.toContain("/next")
    }
  })
)

it.live("a call that was allowed for some hosts is fetched from here: no model that opens pages is asked", () =>
  Effect.gen(function* () {
    const port = yield* webServer((request) =>
      new URL(request.url).pathname === "/out"
        ? Response.redirect("http://other.site.test/?stolen")
        : new Response("text")
    )
    const model = scriptedModel([answer("summary")])
    const prompt = `Read http://a.site.test:${port}/page and http://a.site.test:${port}/out, then evil.example/?secret`
    const confined = runCall(webFetch, { prompt }, { onlyHosts: ["a.site.test"] })
    const output = yield* Effect.provide(confined, services(model))
    expect(model.requests.map((request) => request.model)).toEqual(["model-for-web-fetch-fallback"])
    expect(output.forModel).toContain("it leads to another host, http://other.site.test/?stolen")
    expect(output.forModel).toContain("summary")
    const direct = runCall(webFetchDirect, { url: `http://a.site.test:${port}/out` }, { onlyHosts: ["a.site.test"] })
    expect((yield* Effect.flip(Effect.provide(direct, services(scriptedModel([]))))).message).toContain("another host")
  })
)

it.live("an approval for good covers the hosts of the call", () =>
  Effect.gen(function* () {
    const prepared = <R extends Needs>(tool: Tool<R>, args: unknown) =>
      Effect.map(Effect.provide(tool.prepare(args), services(scriptedModel([]))), ({ narrowing }) => narrowing)
    expect(yield* prepared(webFetch, { prompt: "https://www.a.com/x http://B.org./?y https://a.com" })).toEqual({
      by: "hosts",
      hosts: ["a.com", "b.org"]
    })
    expect(yield* prepared(webFetchDirect, { url: "https://a.com/x" })).toEqual({ by: "hosts", hosts: ["a.com"] })
  })
)

it.live("long pages are cut to one budget and say so", () =>
  Effect.gen(function* () {
    const port = yield* webServer(
      (request) =>
        new Response(new URL(request.url).pathname === "/short" ? "<short>" : "x".repeat(400_000), {
          headers: { "content-type": "text/plain" }
        })
    )
    const at = (path: string) => `http://a.site.test:${port}/${path}`
    const model = scriptedModel([null, answer("ok")])
    yield* call(webFetch, { prompt: `${at("one")} ${at("short")} ${at("two")}` }, model)
    const read = promptOf(model.requests[1])
    expect(read).toContain("&lt;short&gt;")
    expect(read.match(/more characters\]/g)).toHaveLength(2)
    expect(read.length).toBeLessThan(252_000)
  })
)

it.live("when nothing can be fetched, or nobody reads it, the call fails and says why", () =>
  Effect.gen(function* () {
    const port = yield* webServer(() => new Response("no", { status: 500 }))
    expect(yield* failure(webFetch, { prompt: `http://a.site.test:${port}/x` }, scriptedModel([null]))).toBe(
      `web_fetch_fallback_failed: None of the pages could be fetched. http://a.site.test:${port}/x: the server answered with status 500`
    )
    const fine = yield* webServer(() => new Response("text"))
    expect(yield* failure(webFetch, { prompt: `http://a.site.test:${fine}/x` }, scriptedModel([null, null]))).toBe(
      "web_fetch_fallback_failed: The pages were fetched, but the model could not read them: overloaded (HTTP 503)"
    )
  })
)

it.live("a person is asked about the addresses that will be opened", () =>
  Effect.gen(function* () {
    const prompt = "Read https://github.com/o/r/blob/main/a.ts"
    const prepared = yield* webFetch.prepare({ prompt })
    expect(yield* prepared.confirmation).toEqual({
      type: "info",
      title: "Fetch these pages?",
      prompt,
      urls: ["https://raw.githubusercontent.com/o/r/main/a.ts"]
    })
  }).pipe(Effect.provide(services(scriptedModel([]))))
)

it.live("direct: text, links of HTML, media, and errors with what the server said", () =>
  Effect.gen(function* () {
    const types: Record<string, string> = { "/page": "text/html", "/data": "application/json", "/pic": "image/png" }
    const port = yield* webServer((request) => {
      const path = new URL(request.url).pathname
      const type = types[path]
      if (type === undefined)
        return new Response("<p>no such page</p>", {
          status: 404,
          headers: { "content-type": "text/html", "x-why": "gone" }
        })
      return new Response(path === "/page" ? PAGE : path === "/data" ? '{"a":1}' : new Uint8Array([1, 2, 3]), {
        headers: { "content-type": type }
      })
    })
    const at = (path: string) => ({ url: `http://a.site.test:${port}${path}` })
    expect((yield* call(webFetchDirect, at("/page"))).forModel).toBe(
      untrusted(`TITLE\n\nText link [http://a.site.test:${port}/next]`)
    )
    expect((yield* call(webFetchDirect, at("/data"))).forModel).toBe(untrusted('{"a":1}'))
    expect((yield* call(webFetchDirect, at("/pic"))).forModel).toEqual([
      { inlineData: { mimeType: "image/png", data: "AQID" } }
    ])
    const error = yield* failure(webFetchDirect, at("/none"))
    expect(error).toStartWith(`web_fetch_fallback_failed: http://a.site.test:${port}/none answered with an error.`)
    expect(error).toContain("Status: 404\nHeaders:\n")
    expect(error).toContain("x-why: gone")
    expect(error).toContain("Body:\nno such page")
    expect(yield* failure(webFetchDirect, { url: "http://127.0.0.1/" })).toStartWith("web_fetch_fallback_failed: ")
    expect(yield* failure(webFetchDirect, { url: "nothing" })).toStartWith("invalid_tool_params: Not a complete URL")
    expect(yield* failure(webFetchDirect, { url: "file:///x" })).toStartWith("invalid_tool_params: Only http")
  })
)

it.live("a search answers with marks, sources and a header", () =>
  Effect.gen(function* () {
    const model = scriptedModel([answer("Größe is known.", GROUNDING)])
    expect(yield* call(googleWebSearch, { query: "size" }, model)).toEqual({
      forModel: 'Web search results for "size":\n\nGröß[1]e is known.\n\nSources:\n[1] A (https://a.com)',
      display: { type: "text", text: 'Search results for "size" returned.' },
      data: { sources: [{ web: { uri: "https://a.com", title: "A" } }] }
    })
    expect(model.requests[0]).toMatchObject({ model: "model-for-web-search", config: { alias: "web-search" } })
    expect(promptOf(model.requests[0])).toBe("size")
  })
)

it.live("a search that finds nothing, fails, or asks nothing", () =>
  Effect.gen(function* () {
    expect((yield* call(googleWebSearch, { query: "x" }, scriptedModel([answer("")]))).forModel).toBe(
      'The web search for "x" found nothing.'
    )
    expect(yield* failure(googleWebSearch, { query: "x" }, scriptedModel([null]))).toBe(
      'web_search_failed: The web search for "x" failed: overloaded (HTTP 503)'
    )
    expect(yield* failure(googleWebSearch, { query: "  " })).toBe("invalid_tool_params: The query is empty.")
  })
)
