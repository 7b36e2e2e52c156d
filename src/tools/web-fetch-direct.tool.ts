/**
 * The `web_fetch` tool in its direct form (`experimental.directWebFetch`): one URL, whose content goes to the model as it
 * is, without another model in between. Stands in the place of the other form.
 */
import { Effect, Schema } from "effect"
import { untrusted } from "../kernel/prompt-frames.ts"
import { findUrls, normalizeUrl, rawUrl, sitesIn } from "../system/http/web-url.ts"
import { defineTool, type PreparedCall, ToolFailure, type ToolOutput } from "./tool.ts"
import { cutText, pageText } from "./web/page-text.ts"
import { WebClient, type WebPage } from "./web/web-client.ts"
import type { WebError } from "./web/web-error.ts"

const MAX_CHARS = 250_000
const MAX_ERROR_CHARS = 10_000
const ACCEPT = "text/markdown,text/plain;q=0.9,application/json;q=0.9,text/html;q=0.8,application/pdf;q=0.7,*/*;q=0.5"

const Params = Schema.Struct({
  url: Schema.String.annotations({ description: "The complete URL of the page (http or https)." })
})

export const webFetchDirect = defineTool({
  name: "web_fetch",
  classNames: ["WebFetchTool"],
  displayName: "WebFetch",
  kind: "fetch",
  variant: "direct",
  description: "Fetches one web page, image or document and returns its content. Public addresses only.",
  params: Params,
  prepare: Effect.fnUntraced(function* ({ url: given }) {
    const { problems, urls } = findUrls(given.trim())
    const [first] = urls
    if (first === undefined || urls.length > 1) {
      const message = problems[0] ?? `Not a complete URL: "${given}". It must begin with http:// or https://.`
      return yield* new ToolFailure({ type: "invalid_tool_params", message })
    }
    const url = rawUrl(normalizeUrl(first))
    const call: PreparedCall<WebClient> = {
      description: `Fetch ${url}`,
      locations: [],
      confirmation: Effect.succeed({ type: "info", title: "Fetch this page?", prompt: url, urls: [url] }),
      narrowing: { by: "hosts", hosts: sitesIn([first]) },
      run: ({ onlyHosts }) => fetchOne(url, onlyHosts)
    }
    return call
  })
})

const fetchOne = Effect.fnUntraced(function* (url: string, onlyHosts: ReadonlyArray<string> | undefined) {
  const client = yield* WebClient
  yield* Effect.mapError(client.admit(url), failure)
  const page = yield* Effect.mapError(client.get(url, ACCEPT, onlyHosts), failure)
  if (page.status >= 400) return yield* statusFailure(page)
  if (/^(image|video)\/|^application\/pdf$/.test(page.contentType)) return mediaOutput(page)
  const text = cutText(yield* pageText(page, { links: true }), MAX_CHARS)
  return {
    forModel: untrusted(text),
    display: { type: "text", text: `Fetched ${page.url} (${text.length} characters).` }
  } satisfies ToolOutput as ToolOutput
})

const mediaOutput = ({ body, contentType, url }: WebPage): ToolOutput => ({
  forModel: [{ inlineData: { mimeType: contentType, data: Buffer.from(body).toString("base64") } }],
  display: { type: "text", text: `Fetched ${url} (${contentType}, ${body.length} bytes).` }
})

const failure = (error: WebError) => new ToolFailure({ type: "web_fetch_fallback_failed", message: error.message })

/** Everything useful stands in the message, since nothing else of a failed call reaches the model. */
const statusFailure = Effect.fnUntraced(function* (page: WebPage) {
  const headers = Object.entries(page.headers).map(([name, value]) => `${name}: ${value}`)
  const body = cutText(yield* pageText(page, { links: false }), MAX_ERROR_CHARS)
  const text = [`Status: ${page.status}`, "Headers:", ...headers, "", "Body:", body].join("\n")
  return yield* new ToolFailure({
    type: "web_fetch_fallback_failed",
    message: `${page.url} answered with an error.\n${untrusted(text)}`,
    display: `${page.url} answered with status ${page.status}.`
  })
})
