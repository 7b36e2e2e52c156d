/**
 * The third group of the bench: MCP servers. Runs with several of them against runs with one; and our hub, in this
 * process, against the bare client of the SDK on the same server, taking turns.
 */

import { mkdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { layer as hubLayer } from "../../src/mcp/mcp-hub.live.ts"
import { McpHub } from "../../src/mcp/mcp-hub.ts"
import { MAX_MESSAGE_BYTES } from "../../src/mcp/message-lines.ts"
import * as OrphanGuard from "../../src/mcp/orphan-guard.ts"
import * as ServerAuth from "../../src/mcp/server-auth.ts"
import { make as makeHttp } from "../../src/system/http/http.ts"
import { type McpScript, scriptedServer } from "../../test/kit/mcp-script.ts"
import { openAdmission } from "../../test/kit/open-admission.ts"
import {
  BARE_CALL,
  BARE_LARGE_RESULT,
  BARE_LISTING,
  CALL,
  LARGE_RESULT,
  LISTING,
  MANY_TOOLS_RUN,
  ONE_SERVER,
  TEN_SERVERS
} from "./bench-rows.ts"
import type { ToolBench } from "./bench-tools.ts"
import { type Measured, measureAll, median, timed } from "./measure.ts"

const TOOL = { name: "x", inputSchema: { type: "object" } }

export const measureServers = async (bench: ToolBench): Promise<Measured> => {
  bench.onPart("starts with servers")
  const starts = await measureStarts(bench)
  bench.onPart("calls of a server's tool")
  const calls = await compare({ tools: [TOOL] }, { count: 100, rounds: 20 }, [CALL, BARE_CALL])
  bench.onPart("results of 50 MB")
  const large = await compare({ tools: [TOOL], resultBytes: 50_000_000 }, { count: 1, rounds: 5 }, [
    LARGE_RESULT,
    BARE_LARGE_RESULT
  ])
  bench.onPart("10,000 tools")
  return new Map([...starts, ...calls, ...large, ...(await measureListing())])
}

/** A server that is nothing but slow to start, written for the shell: ten of them must not fight for the processor. */
const SLOW_SERVER = `
read -r message
sleep 0.5
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}}'
read -r message
read -r message
echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}}'
read -r message
`

const measureStarts = async ({ binary, env, scratch }: ToolBench): Promise<Measured> => {
  const slow = { command: "sh", args: ["-c", SLOW_SERVER] }
  const homes = {
    [ONE_SERVER]: { one: slow },
    [TEN_SERVERS]: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`server-${index}`, slow])),
    [MANY_TOOLS_RUN]: { many: scriptedServer({ toolCount: 10_000 }) }
  }
  const programs = await Promise.all(
    Object.entries(homes).map(async ([name, mcpServers], index) => {
      const home = join(scratch, `home-with-servers-${index}`)
      await mkdir(join(home, ".gemini"), { recursive: true })
      await writeFile(join(home, ".gemini/settings.json"), JSON.stringify({ mcpServers }))
      return { name, command: [binary, "-p", "hi", "-m", "scripted"], env: { ...env, HOME: home }, cwd: scratch }
    })
  )
  return measureAll(programs, { timed: 5, weighed: 3 })
}

type Names = readonly [ours: string, bare: string]

/** The same calls by both; each has its own copy of the server. */
const compare = async (
  script: McpScript,
  { count, rounds }: { readonly count: number; readonly rounds: number },
  [ours, bare]: Names
): Promise<Measured> => {
  await using hub = await openHub(script)
  await using client = await openClient(script)
  const times: Record<string, Array<number>> = { [ours]: [], [bare]: [] }
  for (let round = 0; round <= rounds; round++) {
    times[ours]?.push(await timeOf(() => hub.call(count)))
    times[bare]?.push(await timeOf(() => client.call(count)))
  }
  // The first round warms both up.
  return new Map([ours, bare].map((name) => [name, timed(median((times[name] ?? []).slice(1)) / count)]))
}

const LISTING_ROUNDS = 5

const measureListing = async (): Promise<Measured> => {
  const script: McpScript = { toolCount: 10_000 }
  const times: Record<string, Array<number>> = { [LISTING]: [], [BARE_LISTING]: [] }
  for (let round = 0; round <= LISTING_ROUNDS; round++) {
    times[LISTING]?.push(await timeOf(() => closing(openHub(script))))
    times[BARE_LISTING]?.push(
      await timeOf(async () => {
        await using opened = await openClient(script)
        await opened.client.listTools()
      })
    )
  }
  return new Map([LISTING, BARE_LISTING].map((name) => [name, timed(median((times[name] ?? []).slice(1)))]))
}

const closing = async (opened: Promise<AsyncDisposable>): Promise<void> => {
  await using _ = await opened
}

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = Bun.nanoseconds()
  await work()
  return (Bun.nanoseconds() - start) / 1e6
}

/** Ready when the tools are listed. */
const openHub = async (script: McpScript) => {
  const scope = await Effect.runPromise(Scope.make())
  const built = hubLayer({
    servers: { s: scriptedServer(script) },
    surroundings: {
      environment: { variables: { PATH: process.env.PATH ?? "" }, cwd: tmpdir(), home: tmpdir(), platform: "linux" },
      redaction: { allowed: [], blocked: [] },
      trust: "trusted"
    },
    rules: openAdmission,
    http: makeHttp({ variables: {} }),
    version: "bench",
    roots: Effect.succeed([]),
    notice: () => Effect.void
  }).pipe(Layer.provide(Layer.merge(OrphanGuard.layer, ServerAuth.layerNone)))
  const hub = Context.get(await Effect.runPromise(Layer.buildWithScope(built, scope)), McpHub)
  await Effect.runPromise(hub.settled)
  const call = hub.callTool({ server: "s", tool: "x", args: { a: 1 }, onProgress: () => Effect.void })
  return {
    // In one program, as the calls of a run are.
    call: (count: number) => Effect.runPromise(Effect.repeatN(call, count - 1)),
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const openClient = async (script: McpScript) => {
  const client = new Client({ name: "bench", version: "1" })
  const { args, command } = scriptedServer(script)
  const env = { PATH: process.env.PATH ?? "" }
  // Without a limit of its own it refuses messages of more than 10 MiB.
  await client.connect(new StdioClientTransport({ command, args: [...args], env, maxBufferSize: MAX_MESSAGE_BYTES }))
  return {
    client,
    call: async (count: number) => {
      const request = { method: "tools/call", params: { name: "x", arguments: { a: 1 } } } as const
      for (let index = 0; index < count; index++) {
        await client.request(request, CallToolResultSchema, { onprogress: () => {} })
      }
    },
    [Symbol.asyncDispose]: () => client.close()
  }
}
