/**
 * Other agents of the registry beside ours: each is installed into a scratch folder and asks a model on loopback that speaks its
 * protocol. One that cannot be installed or run here is a line of the result with the reason, and the others are measured.
 */
import { mkdir, realpath, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { BARE_RUN, ONE_SHOT, type Row } from "./bench-rows.ts"
import { type Measured, type Measurement, measureAll, type Program } from "./measure.ts"
import { runQuietly } from "./run-quietly.ts"

interface Peer {
  readonly name: string
  readonly package: string
  readonly bin: string
  readonly args: (url: string) => ReadonlyArray<string>
  readonly env?: (url: string) => Readonly<Record<string, string>>
  /** Of its home. */
  readonly files?: (url: string) => Readonly<Record<string, unknown>>
}

const PEERS: ReadonlyArray<Peer> = [
  {
    name: "codex",
    package: "@openai/codex",
    bin: "codex",
    args: (url) => [
      ...["exec", "--skip-git-repo-check", "-m", "scripted", "-c", "model_provider=bench"],
      ...["-c", `model_providers.bench={name="bench",base_url="${url}",env_key="OPENAI_API_KEY",wire_api="responses"}`],
      "hi"
    ]
  },
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    bin: "qwen",
    args: () => ["--auth-type", "openai", "-p", "hi"],
    env: (url) => ({ OPENAI_BASE_URL: url, OPENAI_MODEL: "scripted" })
  },
  {
    name: "pi",
    package: "@mariozechner/pi-coding-agent",
    bin: "pi",
    args: () => ["--provider", "bench", "--model", "scripted", "-p", "hi"],
    env: () => ({ PI_OFFLINE: "1" }),
    files: (url) => ({
      ".pi/agent/models.json": {
        providers: {
          bench: { baseUrl: url, api: "openai-completions", apiKey: "bench", models: [{ id: "scripted" }] }
        }
      }
    })
  }
]

const ROUNDS = { timed: 5, weighed: 3 }

export interface PeerBench {
  readonly scratch: string
  readonly rounds: number
  /** The barest run and ours, which take turns with every peer. */
  readonly beside: ReadonlyArray<Program>
  readonly onPart: (name: string) => void
}

export interface MeasuredPeers {
  readonly measured: Measured
  readonly rows: ReadonlyArray<Row>
}

export const measurePeers = async (bench: PeerBench, peers: ReadonlyArray<Peer> = PEERS): Promise<MeasuredPeers> => {
  await using model = serveOpenAi()
  const [measured, rows]: [Map<string, Measurement>, Array<Row>] = [new Map(), []]
  for (const peer of peers) {
    bench.onPart(`${peer.name}, installed from the registry`)
    let failure: string | undefined
    try {
      const program = await installed(peer, bench.scratch, `${model.url}/v1`)
      const found = await measureAll(
        [program, ...bench.beside.map((each) => ({ ...each, name: besideName(peer, each.name) }))],
        { timed: Math.min(bench.rounds, ROUNDS.timed), weighed: Math.min(bench.rounds, ROUNDS.weighed) }
      )
      for (const [name, sample] of found) measured.set(name, sample)
    } catch (error) {
      failure = error instanceof Error ? error.message.trimEnd() : String(error)
    }
    rows.push(...rowsOf(peer, failure))
  }
  return { measured, rows }
}

const besideName = ({ name }: Peer, program: string): string => `${program}, in turns with ${name}`

/** What it takes, of the barest run; then ours, which is to take less. */
const rowsOf = (peer: Peer, failure: string | undefined): ReadonlyArray<Row> => {
  const ours = besideName(peer, ONE_SHOT)
  const known = failure === undefined ? {} : { known: failure }
  const [time, memory] = [{ ...known, metric: "time" } as const, { ...known, metric: "memory" } as const]
  const own = { program: peer.name, against: besideName(peer, BARE_RUN) }
  return [
    { ...time, ...own, label: `${peer.name}, one prompt` },
    { ...memory, ...own, label: `${peer.name}, one prompt, peak memory` },
    { ...time, program: ours, against: peer.name, label: "one-shot prompt", budget: 1 },
    { ...memory, program: ours, against: peer.name, label: "one-shot prompt, peak memory", budget: 1 }
  ]
}

/** Ready to be measured: it has answered once. */
const installed = async (peer: Peer, scratch: string, url: string): Promise<Program> => {
  const node = Bun.which("node")
  if (node === null) throw new Error("it needs Node.js on PATH")
  const [folder, home] = [join(scratch, "peers", peer.name), join(scratch, "peers", `${peer.name}-home`)]
  await mkdir(folder, { recursive: true })
  await mkdir(home, { recursive: true })
  await writeFile(join(folder, "package.json"), '{ "private": true }\n')
  await runQuietly([process.execPath, "add", "--cwd", folder, "--ignore-scripts", `${peer.package}@latest`])
  for (const [name, content] of Object.entries(peer.files?.(url) ?? {})) {
    await Bun.write(join(home, name), JSON.stringify(content))
  }
  const script = await realpath(join(folder, "node_modules/.bin", peer.bin))
  const command = [node, script, ...peer.args(url)]
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    LANG: "C.UTF-8",
    OPENAI_API_KEY: "bench",
    // Nothing but the loopback answers: news and telemetry of theirs are no part of what is measured.
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
    ...peer.env?.(url)
  }
  const output = await runQuietly(["timeout", "60", ...command], { cwd: folder, env })
  if (!/\bok\b/.test(output)) throw new Error(`it did not print the answer of the model: ${output.slice(0, 500)}`)
  return { name: peer.name, command, env, cwd: folder }
}

/** Says `ok` in the words of OpenAI: as Responses and as chat completions, both streamed. */
const serveOpenAi = (): AsyncDisposable & { readonly url: string } => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      await request.arrayBuffer()
      const { pathname } = new URL(request.url)
      if (pathname.endsWith("/responses"))
        return streamed(RESPONSE.map((event) => `event: ${event.type}\n${data(event)}`))
      if (pathname.endsWith("/chat/completions")) return streamed([...CHAT.map(data), "data: [DONE]\n\n"])
      if (pathname.endsWith("/models"))
        return Response.json({ object: "list", data: [{ id: "scripted", object: "model" }] })
      return new Response("there is nothing here", { status: 404 })
    }
  })
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) }
}

const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`

const streamed = (events: ReadonlyArray<string>): Response =>
  new Response(events.join(""), { headers: { "content-type": "text/event-stream" } })

const message = {
  id: "m",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "ok", annotations: [] }]
}

const response = {
  id: "r",
  object: "response",
  status: "completed",
  output: [message],
  usage: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 11
  }
}

const RESPONSE = [
  { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
  { type: "response.output_text.delta", item_id: "m", output_index: 0, content_index: 0, delta: "ok" },
  { type: "response.output_item.done", output_index: 0, item: message },
  { type: "response.completed", response }
]

const piece = { id: "c", object: "chat.completion.chunk", created: 1, model: "scripted" }

const CHAT = [
  { ...piece, choices: [{ index: 0, delta: { role: "assistant", content: "ok" }, finish_reason: null }] },
  {
    ...piece,
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
  }
]
