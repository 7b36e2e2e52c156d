/** What a run tells about itself, to each kind of receiver, compared with what readers of telemetry count on. */
import { describe, expect, test } from "bun:test"
import { readFileSync, statSync } from "node:fs"
import { createServer, type ServerHttp2Stream } from "node:http2"
import type { AddressInfo } from "node:net"
import { ALWAYS_TOLD, HTTP_ALWAYS_TOLD, SPAN_TEXTS } from "../src/telemetry/span-table.ts"
import { type Collected, collectedInFile, logNames, logsNamed, metricNamed, piecesOf } from "./kit/collected.ts"
import { startGrpcCollector, startHttpCollector } from "./kit/collector.ts"
import { googleError } from "./kit/google-errors.ts"
import { startModelServer } from "./kit/model-server.ts"
import { answer, ask, call, DEFAULT_USAGE, finish, type Reply, say } from "./kit/replies.ts"
import { newWorkspace, type RunOptions, type Workspace } from "./kit/run-gemini.ts"
import { COMMON, COUNTERS, EVENTS, HISTOGRAMS, SPANS, wordsOf } from "./kit/telemetry-contract.ts"

const SECRET_KEY = "AIza-not-a-real-key-0123456789"

const EMPTY = answer([finish("STOP", DEFAULT_USAGE)])

/** Calls of every kind, with a question at the end whether that was all. */
const scripted = (...before: ReadonlyArray<Reply>) => {
  const answers = [
    ...before,
    ask(call("read_file", { file_path: "a.ts" })),
    ask(
      call("write_file", { file_path: "b.ts", content: `one\ntwo ${SECRET_KEY}\n` }),
      call("replace", { file_path: "c.py", instruction: "x", old_string: "x = 1\ny = 2", new_string: "x = 3\ny = 4" }),
      call("run_shell_command", { command: "seq 1000" }),
      call("no_such_tool")
    ),
    say("all done")
  ]
  let next = 0
  return startModelServer(
    ({ operation }) =>
      operation === "generateContent"
        ? say('{"reasoning":"nothing is left to do","next_speaker":"user"}')
        : (answers[next++] ?? googleError(400, "the script is over")),
    { strict: true }
  )
}

/** A run with tools, with these telemetry settings. */
const runWith = async (
  place: Workspace,
  telemetry: object,
  options: RunOptions & { readonly args?: string[]; readonly before?: ReadonlyArray<Reply> } = {}
) => {
  await using server = await scripted(...(options.before ?? []))
  const settings = {
    telemetry: { enabled: true, ...telemetry },
    model: { skipNextSpeakerCheck: false, disableLoopDetection: true },
    tools: { truncateToolOutputThreshold: 500 }
  }
  await place.write("home/.gemini/settings.json", JSON.stringify(settings))
  await place.write("work/a.ts", "export const a = 1\n")
  await place.write("work/c.py", "if True:\n    x = 1\n    y = 2\n")
  const { args = [], before: _, env, ...rest } = options
  return await place.run(["-p", "please look", "-m", "gemini-2.5-pro", "-y", "--skip-trust", ...args], {
    ...rest,
    server,
    env: { GEMINI_API_KEY: SECRET_KEY, GEMINI_MEMORY_MONITOR_INTERVAL: "50", ...env }
  })
}

const unlisted = (attributes: object, ...listed: ReadonlyArray<string>) =>
  Object.keys(attributes).filter((key) => !wordsOf([COMMON, ...listed].join(" ")).includes(key))

/** Nothing is told that readers do not know, and every metric has its unit. */
const expectListed = ({ logs, metrics, spans }: Collected) => {
  for (const { attributes } of logs) {
    const known = EVENTS[String(attributes["event.name"])]
    expect(known, String(attributes["event.name"])).toBeDefined()
    expect(unlisted(attributes, "event.name event.timestamp", known?.attributes ?? "", known?.texts ?? "")).toEqual([])
  }
  for (const { name, points, unit } of metrics) {
    const [wanted, attributes] = HISTOGRAMS[name] ?? ["", COUNTERS[name]]
    expect(attributes, name).toBeDefined()
    expect(unit).toBe(wanted)
    expect(points.flatMap((point) => unlisted(point.attributes, attributes ?? ""))).toEqual([])
  }
  expect(spans.map(({ name }) => name).filter((name) => !SPANS.includes(name))).toEqual([])
}

const TOLD_EVENTS = {
  "gemini_cli.config": 1,
  "gemini_cli.startup_stats": 1,
  "gemini_cli.user_prompt": 1,
  loop_detection_disabled: 1,
  "gemini_cli.model_routing": 1,
  "gemini_cli.api_request": 5,
  "gemini_cli.api_response": 5,
  "gen_ai.client.inference.operation.details": 10,
  "gemini_cli.chat.invalid_chunk": 1,
  "gemini_cli.chat.content_retry": 1,
  "gemini_cli.tool_call": 5,
  "gemini_cli.file_operation": 3,
  "gemini_cli.edit_strategy": 1,
  "gemini_cli.tool_output_truncated": 1,
  "gemini_cli.next_speaker_check": 1,
  "gemini_cli.conversation_finished": 1,
  "gemini_cli.plan.approval_mode_duration": 1,
  end_session: 1
}

const TOLD_METRICS = [
  "gemini_cli.session.count",
  "gemini_cli.tool.call.count",
  "gemini_cli.api.request.count",
  "gemini_cli.token.usage",
  "gemini_cli.file.operation.count",
  "gemini_cli.lines.changed",
  "gemini_cli.chat.invalid_chunk.count",
  "gemini_cli.chat.content_retry.count",
  "gemini_cli.tool.call.latency",
  "gemini_cli.api.request.latency",
  "gemini_cli.model_routing.latency",
  "gen_ai.client.token.usage",
  "gen_ai.client.operation.duration",
  "gemini_cli.startup.duration",
  "gemini_cli.memory.usage",
  "gemini_cli.cpu.usage",
  "gemini_cli.event_loop.delay",
  "gemini_cli.tool.queue.depth",
  "gemini_cli.tool.execution.breakdown",
  "gemini_cli.api.request.breakdown",
  "gemini_cli.token.efficiency"
]

/** What the scripted run is, seen from outside: all of it, and nothing else. */
const expectScriptedRun = (seen: Collected) => {
  expectListed(seen)
  const names = logNames(seen)
  expect(names[0]).toBe("gemini_cli.config")
  expect(names.at(-1)).toBe("end_session")
  expect(countsOf(names)).toEqual(TOLD_EVENTS)
  expect(new Set(seen.metrics.map(({ name }) => name))).toEqual(new Set(TOLD_METRICS))
  expect(logsNamed(seen, "gemini_cli.user_prompt")).toMatchObject([{ prompt_length: 11, interactive: false }])
  expect(logsNamed(seen, "gemini_cli.tool_call")).toMatchObject([
    { function_name: "read_file", success: true, decision: "accept", tool_type: "native" },
    { function_name: "write_file", success: true },
    { function_name: "replace", success: true },
    { function_name: "run_shell_command", success: true },
    { function_name: "no_such_tool", success: false, error_type: "tool_not_registered" }
  ])
  expect(logsNamed(seen, "gemini_cli.file_operation")).toMatchObject([
    { operation: "read", programming_language: "TypeScript", lines: 2 },
    { operation: "create", extension: ".ts", lines: 3 },
    { operation: "update", extension: ".py", programming_language: "Python" }
  ])
  expect(logsNamed(seen, "gemini_cli.edit_strategy")).toMatchObject([{ strategy: "flexible" }])
  expect(logsNamed(seen, "gemini_cli.conversation_finished")).toMatchObject([{ approvalMode: "yolo", turnCount: 4 }])
  expect(metricNamed(seen, "gemini_cli.session.count")?.points).toMatchObject([{ sum: 1 }])
  const requests = metricNamed(seen, "gemini_cli.api.request.count")?.points ?? []
  expect(requests.reduce((all, { sum }) => all + sum, 0)).toBe(5)
  expect(metricNamed(seen, "gemini_cli.tool.call.count")?.points.map(({ sum }) => sum)).toEqual([1, 1, 1, 1, 1])
  const phases = metricNamed(seen, "gemini_cli.tool.execution.breakdown")?.points.map(
    ({ attributes }) => attributes.phase
  )
  expect(new Set(phases)).toEqual(new Set(["validation", "preparation", "execution", "result_processing"]))
  const parts = metricNamed(seen, "gemini_cli.api.request.breakdown")?.points.map(({ attributes }) => attributes.phase)
  expect(new Set(parts)).toEqual(
    new Set(["request_preparation", "network_latency", "response_processing", "token_processing"])
  )
  expectSpans(seen)
}

const countsOf = (names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all?.length]))

const expectSpans = ({ spans }: Collected) => {
  expect(countsOf(spans.map(({ name }) => name))).toEqual({
    user_prompt: 1,
    system_prompt: 2,
    llm_call: 5,
    schedule_tool_calls: 2,
    tool_call: 5,
    POST: 5
  })
  const parentNames = (name: string) =>
    new Set(spans.filter((span) => span.name === name).map(({ parent }) => spans.find(({ id }) => id === parent)?.name))
  expect(parentNames("tool_call")).toEqual(new Set(["schedule_tool_calls"]))
  expect(parentNames("llm_call")).toEqual(new Set(["system_prompt", "user_prompt"]))
  expect(parentNames("POST")).toEqual(new Set(["llm_call"]))
  expect(parentNames("user_prompt")).toEqual(new Set([undefined]))
}

describe("a run is told", () => {
  test("to a file, in pieces that begin and end on lines of their own", async () => {
    await using place = await newWorkspace()
    const result = await runWith(place, { outfile: "telemetry.log" }, { before: [EMPTY] })
    expect(result.exitCode).toBe(0)
    const text = await place.read("work/telemetry.log")
    for (const piece of piecesOf(text)) expect(text).toContain(`${JSON.stringify(piece, null, 2)}\n`)
    expectScriptedRun(collectedInFile(text))
  })

  test("to a collector over HTTP", async () => {
    await using place = await newWorkspace()
    await using collector = startHttpCollector()
    const telemetry = { otlpProtocol: "http", otlpEndpoint: `${collector.url}/base/` }
    const result = await runWith(place, telemetry, { before: [EMPTY] })
    expect(result.exitCode).toBe(0)
    expectScriptedRun(collector.collected())
  })

  test("to a collector over gRPC", async () => {
    await using place = await newWorkspace()
    await using collector = await startGrpcCollector()
    const result = await runWith(place, { otlpEndpoint: `"${collector.url}"` }, { before: [EMPTY] })
    expect(result).toMatchObject({ exitCode: 0, stdout: "all done\n" })
    expectScriptedRun(collector.collected())
  })
})

test("what goes over gRPC is compressed", async () => {
  await using place = await newWorkspace()
  const encodings = new Set<unknown>()
  const server = createServer().on("stream", (stream: ServerHttp2Stream, headers) => {
    encodings.add(headers["grpc-encoding"])
    stream.respond({ ":status": 503 }, { endStream: true })
  })
  const port = await new Promise<number>((settle) =>
    server.listen(0, "127.0.0.1", () => settle((server.address() as AddressInfo).port))
  )
  await runWith(place, { otlpEndpoint: `http://127.0.0.1:${port}` })
  server.close()
  expect(encodings).toEqual(new Set(["gzip"]))
})

describe("how much is told", () => {
  const told = async (telemetry: object) => {
    await using place = await newWorkspace()
    await runWith(place, { outfile: "telemetry.log", ...telemetry })
    const text = await place.read("work/telemetry.log")
    return { text, seen: collectedInFile(text) }
  }

  test("by default prompts and arguments, but no payloads in spans", async () => {
    const { seen } = await told({})
    expect(logsNamed(seen, "gemini_cli.user_prompt")).toMatchObject([{ prompt: "please look" }])
    expect(logsNamed(seen, "gemini_cli.tool_call")[0]).toMatchObject({ function_args: '{"file_path":"a.ts"}' })
    const listed = [...ALWAYS_TOLD, ...HTTP_ALWAYS_TOLD]
    for (const { attributes } of seen.spans) {
      expect(Object.keys(attributes).filter((key) => !listed.includes(key))).toEqual([])
    }
  })

  test("with traces everything about requests and calls", async () => {
    const { seen } = await told({ traces: true })
    const llm = seen.spans.find(({ name }) => name === "llm_call")
    expect(llm?.attributes).toMatchObject({ "gen_ai.request.model": "gemini-2.5-pro" })
    expect(llm?.attributes).toContainAllKeys([
      ...ALWAYS_TOLD,
      ...SPAN_TEXTS,
      "gen_ai.request.model",
      "gen_ai.prompt.name",
      "gen_ai.tool.definitions",
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.output_tokens"
    ])
    const calls = seen.spans.filter(({ name }) => name === "tool_call")
    expect(calls.map(({ attributes }) => attributes["gen_ai.tool.name"])).toContain("read_file")
  })

  test("without logPrompts no text of anybody", async () => {
    const { seen, text } = await told({ logPrompts: false, traces: true })
    for (const words of ["please look", "a.ts", "all done", "export const"]) expect(text).not.toContain(words)
    expect(logNames(seen)).toContain("gemini_cli.api_response")
  })

  test("never a credential", async () => {
    const { text } = await told({ traces: true })
    expect(text).toContain("two [REDACTED:")
    expect(text).not.toContain(SECRET_KEY)
  })
})

describe("a receiver that fails does not change the run", () => {
  const WARNING = /\[WARNING\] telemetry cannot be delivered to [^;]+; the run goes on without it\n/g

  test.each(["http", "grpc"])("nobody listens, by %s", async (otlpProtocol) => {
    await using place = await newWorkspace()
    const result = await runWith(place, { otlpProtocol, otlpEndpoint: "http://127.0.0.1:9" })
    expect(result).toMatchObject({ exitCode: 0, stdout: "all done\n" })
    expect(result.stderr.match(WARNING)).toHaveLength(1)
  })

  test("it never answers", async () => {
    await using place = await newWorkspace()
    const silent = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise<Response>(() => undefined) })
    const result = await runWith(place, { otlpProtocol: "http", otlpEndpoint: `http://127.0.0.1:${silent.port}` })
    await silent.stop(true)
    expect(result).toMatchObject({ exitCode: 0, stdout: "all done\n" })
    expect(result.stderr.match(WARNING)).toHaveLength(1)
  })

  test("it refuses", async () => {
    await using place = await newWorkspace()
    const refusing = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("no", { status: 503 }) })
    const result = await runWith(place, { otlpProtocol: "http", otlpEndpoint: `http://127.0.0.1:${refusing.port}` })
    await refusing.stop(true)
    expect(result).toMatchObject({ exitCode: 0, stdout: "all done\n" })
    expect(result.stderr.match(WARNING)).toHaveLength(1)
  })

  test("the file cannot be written", async () => {
    await using place = await newWorkspace()
    const result = await runWith(place, { outfile: "/proc/none/telemetry.log" })
    expect(result).toMatchObject({ exitCode: 0, stdout: "all done\n" })
    expect(result.stderr.match(WARNING)).toHaveLength(1)
  })
})

describe("where it is said", () => {
  test("a flag wins over a variable, and a variable over a setting", async () => {
    await using place = await newWorkspace()
    const env = { GEMINI_TELEMETRY_OUTFILE: "variable.log" }
    await runWith(place, { outfile: "setting.log" }, { env })
    await runWith(place, { outfile: "setting.log" }, { env, args: ["--telemetry-outfile", "flag.log"] })
    expect(logNames(collectedInFile(await place.read("work/variable.log")))).toContain("end_session")
    expect(logNames(collectedInFile(await place.read("work/flag.log")))).toContain("end_session")
    expect(place.read("work/setting.log")).rejects.toThrow()
  })

  test.each([
    [{ GEMINI_TELEMETRY_TARGET: "moon" }, 'GEMINI_TELEMETRY_TARGET: expected "local" or "gcp", found "moon"'],
    [
      { GEMINI_TELEMETRY_OTLP_PROTOCOL: "tcp" },
      'GEMINI_TELEMETRY_OTLP_PROTOCOL: expected "grpc" or "http", found "tcp"'
    ]
  ])("%j ends the run with 52", async (env, message) => {
    await using place = await newWorkspace()
    const result = await runWith(place, {}, { env })
    expect(result.exitCode).toBe(52)
    expect(result.stderr).toContain(message)
  })
})

test("everything is on disk after SIGTERM", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer([{ ...say("never"), delayMs: 60_000 }])
  await place.write("home/.gemini/settings.json", JSON.stringify({ telemetry: { enabled: true, outfile: "t.log" } }))
  const run = place.start(["-p", "wait", "-m", "gemini-2.5-pro"], { server })
  await server.received(1)
  run.kill("SIGTERM")
  expect((await run.result).exitCode).toBe(143)
  const names = logNames(collectedInFile(await place.read("work/t.log")))
  expect(names).toContain("gemini_cli.api_request")
  expect(names).toContain("gemini_cli.api_error")
  expect(names.at(-1)).toBe("end_session")
})

test.skipIf(Bun.which("strace") === null)(
  "off, which is the default, nothing but the model is connected to",
  async () => {
    await using place = await newWorkspace()
    await using server = await startModelServer([ask(call("read_file", { file_path: "a.ts" })), say("done")])
    await place.write("work/a.ts", "export const a = 1\n")
    const result = await place.shell(
      'strace -f -qq -e trace=connect,sendto -o "$PWD/calls.log" "$GEMINI" -p hi -m gemini-2.5-pro',
      { server }
    )
    expect(result).toMatchObject({ exitCode: 0, stdout: "done\n" })
    const calls = await place.read("work/calls.log")
    const targets = [...calls.matchAll(/connect\(.*?sin6?_port=htons\((\d+)\)/g)].map(([, port]) => port)
    expect(new Set(targets)).toEqual(new Set([new URL(server.url).port]))
  }
)

test("usage statistics go to the address that the user names, and hold nothing that was said", async () => {
  await using place = await newWorkspace()
  await using server = await scripted()
  const bodies: Array<string> = []
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      bodies.push(await request.text())
      return new Response("")
    }
  })
  const privacy = { usageStatisticsEndpoint: `http://127.0.0.1:${receiver.port}/` }
  await place.write("home/.gemini/settings.json", JSON.stringify({ privacy }))
  await place.write("work/a.ts", "export const a = 1\n")
  await place.run(["-p", "please look", "-m", "gemini-2.5-pro", "-y", "--skip-trust"], { server })
  await receiver.stop(true)
  expect(bodies).toHaveLength(1)
  const [body = ""] = bodies
  expect(JSON.parse(body)).toMatchObject({
    client: "gemini",
    events: expect.arrayContaining([expect.objectContaining({ name: "tool_call" })])
  })
  for (const words of ["please look", "a.ts", "all done", "read_file", place.cwd]) expect(body).not.toContain(words)
})

test("a request that the service calls wrong leaves a report that only its owner reads", async () => {
  await using place = await newWorkspace()
  await using server = await startModelServer(() => googleError(400, "the request is wrong"))
  const result = await place.run(["-p", "my words", "-m", "gemini-2.5-pro"], { server })
  const [, file = ""] = /\[INFO\] an error report was written to (.+)\n/.exec(result.stderr) ?? []
  expect(file).toMatch(/gemini-client-error-Turn\.run-sendMessageStream-[\dTZ-]+\.json$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const report = readFileSync(file, "utf8")
  expect(JSON.parse(report)).toMatchObject({ error: { message: expect.stringContaining("the request is wrong") } })
  expect(report).not.toContain("my words")
})
