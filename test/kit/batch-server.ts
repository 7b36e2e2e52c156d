/**
 * A stand-in for Google's batch engine: jobs, files and caches of the Gemini API, batch prediction of Vertex AI with the
 * storage that it reads and writes. Each answer repeats its prompt; what goes wrong is for a test to say.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

type Json = Readonly<Record<string, unknown>>

export interface StoredJob {
  readonly id: string
  readonly name: string
  readonly model: string
  /** Lines `{key, request}`, or those of Vertex AI. */
  readonly requests: ReadonlyArray<Json>
  readonly isInline: boolean
  state: string
  polls: number
  output: ReadonlyArray<Json> | undefined
  readonly destination: string | undefined
}

export type Fault =
  /** The connection is cut; `lost`: when what was asked for is done. */
  "cut" | "lost" | number

export interface BatchServerOptions {
  /** Looks at a job before it ends. */
  readonly polls?: number
  /** How it ends; `GONE`: nobody knows it any more. */
  readonly endsAs?: (job: StoredJob) => string
  /** What happens instead of, or after, a request. `count`: of that kind, from 1. */
  readonly fault?: (kind: string, count: number) => Fault | undefined
  /** The answers of a job, as they are given back. */
  readonly answers?: (answers: ReadonlyArray<Json>, job: StoredJob) => ReadonlyArray<Json>
  readonly answer?: (prompt: string) => Json
}

export interface BatchServer extends AsyncDisposable {
  readonly url: string
  readonly jobs: ReadonlyArray<StoredJob>
  readonly caches: ReadonlyMap<string, Json>
  readonly uploads: ReadonlyMap<string, string>
  /** How often something of a kind was asked: `create`, `get`, `list`, `cancel`, `upload`, `download`, `cache.create`, … */
  readonly count: (kind: string) => number
  readonly requests: ReadonlyArray<{ readonly kind: string; readonly path: string; readonly body: unknown }>
}

export const answerTo = (prompt: string): Json => ({
  candidates: [{ content: { role: "model", parts: [{ text: `re: ${prompt}` }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  modelVersion: "gemini-3.5-flash"
})

const promptOf = (request: unknown): string => {
  const { contents } = request as {
    readonly contents: ReadonlyArray<{ readonly parts: ReadonlyArray<{ text?: string }> }>
  }
  return (
    contents
      .at(-1)
      ?.parts.map(({ text }) => text ?? "")
      .join("") ?? ""
  )
}

export const startBatchServer = async (options: BatchServerOptions = {}): Promise<BatchServer> => {
  const {
    answer = answerTo,
    answers = (all) => all,
    endsAs = () => "SUCCEEDED",
    fault = () => undefined,
    polls = 1
  } = options
  const jobs: Array<StoredJob> = []
  const files = new Map<string, string>()
  const objects = new Map<string, string>()
  const caches = new Map<string, Json>()
  const open = new Map<string, Array<Uint8Array>>()
  const counts = new Map<string, number>()
  const requests: Array<{ kind: string; path: string; body: unknown }> = []
  let nextId = 1

  const linesIn = (text: string): ReadonlyArray<Json> =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Json)

  const add = (job: Omit<StoredJob, "id" | "state" | "polls" | "output">): StoredJob => {
    const made: StoredJob = { ...job, id: String(nextId++), state: "PENDING", polls: 0, output: undefined }
    jobs.push(made)
    return made
  }

  const advance = (job: StoredJob): void => {
    job.polls += 1
    if (job.output !== undefined || job.state === "CANCELLED") return
    if (job.polls < polls) {
      job.state = "RUNNING"
      return
    }
    job.state = endsAs(job)
    if (job.state === "FAILED" || job.state === "GONE") return
    const all = job.requests.map(({ key, request }) => {
      const given = answer(promptOf(request))
      const said = given.error === undefined ? { response: given } : { error: given.error }
      if (job.destination !== undefined) return { request, status: "", ...said }
      return job.isInline ? { ...said, metadata: { key } } : { key, ...said }
    })
    job.output = answers(all, job)
  }

  const geminiJob = (job: StoredJob): Json => {
    const isOver = job.output !== undefined
    const output = job.isInline
      ? { inlinedResponses: { inlinedResponses: job.output } }
      : { responsesFile: `files/out-${job.id}` }
    return {
      name: `batches/${job.id}`,
      metadata: {
        displayName: job.name,
        state: `BATCH_STATE_${job.state}`,
        createTime: "2026-01-01T00:00:00Z",
        batchStats: {
          requestCount: String(job.requests.length),
          pendingRequestCount: isOver ? "0" : String(job.requests.length)
        },
        ...(isOver ? { output } : {})
      },
      ...(isOver || job.state === "FAILED" ? { done: true } : {}),
      ...(job.state === "FAILED" ? { error: { code: 13, message: "the engine broke" } } : {})
    }
  }

  const vertexJob = (job: StoredJob): Json => ({
    name: `projects/p/locations/l/batchPredictionJobs/${job.id}`,
    displayName: job.name,
    state: `JOB_STATE_${job.state}`,
    ...(job.output === undefined ? {} : { outputInfo: { gcsOutputDirectory: `${job.destination}/prediction-1` } })
  })

  const known = (job: StoredJob | undefined): StoredJob | undefined => (job?.state === "GONE" ? undefined : job)

  /** The kind of a request, and what answers it. */
  const routes: ReadonlyArray<
    readonly [
      kind: string,
      method: string,
      path: RegExp,
      reply: (found: ReadonlyArray<string>, body: Buffer, url: URL, headers: IncomingMessage["headers"]) => Reply
    ]
  > = [
    [
      "create",
      "POST",
      /models\/([^/:]+):batchGenerateContent$/,
      ([model = ""], body) => {
        const { batch } = parsed(body) as {
          batch: {
            displayName: string
            inputConfig: {
              fileName?: string
              requests?: { requests: ReadonlyArray<{ request: Json; metadata: Json }> }
            }
          }
        }
        const { fileName, requests: inline } = batch.inputConfig
        if (fileName !== undefined && !files.has(fileName)) return refusal(404, `File ${fileName} not found or expired`)
        const asked =
          inline?.requests.map(({ metadata, request }) => ({ key: metadata.key, request })) ??
          linesIn(files.get(fileName ?? "") ?? "")
        return {
          json: geminiJob(
            add({
              name: batch.displayName,
              model,
              requests: asked,
              isInline: inline !== undefined,
              destination: undefined
            })
          )
        }
      }
    ],
    [
      "list",
      "GET",
      /\/batches$/,
      () => ({ json: { operations: jobs.filter(({ state }) => state !== "GONE").map(geminiJob) } })
    ],
    [
      "get",
      "GET",
      /\/batches\/([^/:]+)$/,
      ([id]) => {
        const job = known(jobs.find((one) => one.id === id))
        if (job !== undefined) advance(job)
        return known(job) === undefined || job === undefined ? refusal(404, `no batch ${id}`) : { json: geminiJob(job) }
      }
    ],
    [
      "cancel",
      "POST",
      /\/(?:batches|batchPredictionJobs)\/([^/:]+):cancel$/,
      ([id]) => {
        for (const job of jobs) if (job.id === id && job.output === undefined) job.state = "CANCELLED"
        return { json: {} }
      }
    ],
    [
      "upload.start",
      "POST",
      /\/upload\/[^/]*\/?files$/,
      (_, __, url) => {
        const id = String(nextId++)
        open.set(id, [])
        return {
          json: {},
          headers: { "x-goog-upload-url": `${url.origin}/upload/piece/${id}`, "x-goog-upload-status": "active" }
        }
      }
    ],
    [
      "upload",
      "POST",
      /\/upload\/piece\/(\d+)/,
      ([id = ""], body, _, headers) => {
        const pieces = open.get(id) ?? []
        pieces.push(new Uint8Array(body))
        if (!String(headers["x-goog-upload-command"]).includes("finalize"))
          return { json: {}, headers: { "x-goog-upload-status": "active" } }
        files.set(`files/in-${id}`, Buffer.concat(pieces).toString("utf8"))
        return {
          json: { file: { name: `files/in-${id}`, state: "ACTIVE" } },
          headers: { "x-goog-upload-status": "final" }
        }
      }
    ],
    [
      "download",
      "GET",
      /\/files\/out-(\d+):download$/,
      ([id]) => {
        const job = jobs.find((one) => one.id === id)
        return { text: (job?.output ?? []).map((line) => `${JSON.stringify(line)}\n`).join("") }
      }
    ],
    [
      "delete",
      "DELETE",
      /\/(files\/[^/]+)$/,
      ([name = ""]) => {
        files.delete(name)
        return { json: {} }
      }
    ],
    [
      "cache.create",
      "POST",
      /\/cachedContents$/,
      (_, body) => {
        const name = `cachedContents/c${nextId++}`
        caches.set(name, parsed(body) as Json)
        return { json: { name } }
      }
    ],
    [
      "cache.extend",
      "PATCH",
      /\/(cachedContents\/[^/]+)$/,
      ([name = ""], body) =>
        caches.has(name) ? { json: { name, ...(parsed(body) as Json) } } : refusal(404, "no such cache")
    ],
    [
      "cache.remove",
      "DELETE",
      /\/(cachedContents\/[^/]+)$/,
      ([name = ""]) => {
        caches.delete(name)
        return { json: {} }
      }
    ],
    ["count", "POST", /:countTokens$/, (_, body) => ({ json: { totalTokens: Math.ceil(body.length / 4) } })],
    [
      "generate",
      "POST",
      /models\/[^/:]+:(?:streamG|g)enerateContent$/,
      (_, body) => ({
        text: `data: ${JSON.stringify(answer(promptOf(parsed(body))))}\n\n`,
        headers: { "content-type": "text/event-stream" }
      })
    ],
    [
      "create",
      "POST",
      /\/batchPredictionJobs$/,
      (_, body) => {
        const given = parsed(body) as {
          displayName: string
          model: string
          inputConfig: { gcsSource: { uris: ReadonlyArray<string> } }
          outputConfig: { gcsDestination: { outputUriPrefix: string } }
        }
        const asked = linesIn(objects.get(given.inputConfig.gcsSource.uris[0] ?? "") ?? "")
        return {
          json: vertexJob(
            add({
              name: given.displayName,
              model: given.model,
              requests: asked,
              isInline: false,
              destination: given.outputConfig.gcsDestination.outputUriPrefix
            })
          )
        }
      }
    ],
    ["list", "GET", /\/batchPredictionJobs$/, () => ({ json: { batchPredictionJobs: jobs.map(vertexJob) } })],
    [
      "get",
      "GET",
      /\/batchPredictionJobs\/(\d+)$/,
      ([id]) => {
        const job = jobs.find((one) => one.id === id)
        if (job === undefined) return refusal(404, "no such job")
        advance(job)
        if (job.output !== undefined) {
          objects.set(
            `${job.destination}/prediction-1/predictions.jsonl`,
            job.output.map((line) => `${JSON.stringify(line)}\n`).join("")
          )
        }
        return { json: vertexJob(job) }
      }
    ],
    [
      "storage.put",
      "POST",
      /\/upload\/storage\/v1\/b\/([^/]+)\/o$/,
      ([bucket], body, url) => {
        objects.set(`gs://${bucket}/${url.searchParams.get("name")}`, body.toString("utf8"))
        return { json: {} }
      }
    ],
    [
      "storage.list",
      "GET",
      /\/storage\/v1\/b\/([^/]+)\/o$/,
      ([bucket], _, url) => {
        const prefix = `gs://${bucket}/${url.searchParams.get("prefix")}`
        return {
          json: {
            items: [...objects.keys()]
              .filter((uri) => uri.startsWith(prefix))
              .map((uri) => ({ name: uri.slice(`gs://${bucket}/`.length) }))
          }
        }
      }
    ],
    [
      "storage.get",
      "GET",
      /\/storage\/v1\/b\/([^/]+)\/o\/(.+)$/,
      ([bucket, name = ""]) => ({ text: objects.get(`gs://${bucket}/${decodeURIComponent(name)}`) ?? "" })
    ],
    [
      "storage.delete",
      "DELETE",
      /\/storage\/v1\/b\/([^/]+)\/o\/(.+)$/,
      ([bucket, name = ""]) => {
        objects.delete(`gs://${bucket}/${decodeURIComponent(name)}`)
        return { json: {} }
      }
    ],
    [
      "token",
      "POST",
      /\/token$/,
      () => ({ json: { access_token: "scripted-token", expires_in: 3600, token_type: "Bearer" } })
    ]
  ]

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const pieces: Array<Uint8Array> = []
    for await (const piece of incoming) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host}`)
    const route = routes.find(([, method, path]) => incoming.method === method && path.test(url.pathname))
    const [kind, , path, reply] = route ?? [
      "unknown",
      "",
      /^/,
      () => refusal(404, `no such resource: ${incoming.method} ${url.pathname}`)
    ]
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    requests.push({ kind, path: url.pathname, body: body.length < 100_000 ? parsed(body) : undefined })
    const broken = fault(kind, count)
    if (broken === "cut") return void incoming.socket.destroy()
    const answered =
      typeof broken === "number"
        ? refusal(broken, "as the test says")
        : reply((path.exec(url.pathname) ?? []).slice(1), body, url, incoming.headers)
    if (broken === "lost") return void incoming.socket.destroy()
    outgoing.writeHead(answered.status ?? 200, { "content-type": "application/json", ...answered.headers })
    outgoing.end(answered.text ?? JSON.stringify(answered.json))
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing).catch(() => outgoing.destroy()))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    jobs,
    caches,
    uploads: files,
    count: (kind) => counts.get(kind) ?? 0,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

interface Reply {
  readonly status?: number
  readonly json?: unknown
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

const refusal = (status: number, message: string): Reply => ({
  status,
  json: { error: { code: status, message, status: "X" } }
})

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return body.toString("utf8")
  }
}
