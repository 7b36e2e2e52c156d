/** The companion of an editor, made with the protocol's own SDK as the one for VS Code is: it listens, and leaves its file. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import type { Workspace } from "./run-gemini.ts"

export interface DiffCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

export interface CompanionOptions {
  /** What is told as soon as somebody listens. */
  readonly context?: unknown
  readonly tools?: ReadonlyArray<string>
  readonly token?: string
  /** The file names this token; the companion takes another. */
  readonly toldToken?: string
  /** Of the file; the working folder where nothing is said. */
  readonly workspacePath?: string | undefined
  readonly writesFile?: boolean
  /** What `closeDiff` says the person made of the text. */
  readonly leftContent?: string
  readonly failsDiffs?: boolean
}

export interface Companion extends AsyncDisposable {
  readonly port: number
  readonly file: string
  readonly calls: Array<DiffCall>
  /** Authorization headers of requests that came. */
  readonly authorizations: Array<string | null>
  readonly listeners: () => number
  readonly tell: (method: string, params: unknown) => Promise<void>
  readonly until: (isReached: () => boolean) => Promise<void>
  /** Every connection is cut, and nobody listens any more. */
  readonly die: () => Promise<void>
}

const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } })

export const companionFolder = (workspace: Workspace): string => join(workspace.root, "tmp/gemini/ide")

export const startCompanion = async (workspace: Workspace, options: CompanionOptions = {}): Promise<Companion> => {
  const { leftContent, token = "the-token", tools = ["openDiff", "closeDiff"] } = options
  const sessions = new Map<string, { transport: WebStandardStreamableHTTPServerTransport; server: Server }>()
  const calls: Array<DiffCall> = []
  const authorizations: Array<string | null> = []
  let listeners = 0

  const newSession = async () => {
    const server = new Server({ name: "gemini-cli-companion", version: "1.0.0" }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(tool) }))
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      calls.push({ tool: params.name, args: params.arguments ?? {} })
      if (options.failsDiffs === true) return { content: [{ type: "text", text: "no editor" }], isError: true }
      const text = JSON.stringify({ content: leftContent ?? null })
      return { content: params.name === "closeDiff" ? [{ type: "text", text }] : [] }
    })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, server })
    })
    await server.connect(transport)
    return transport
  }

  const tell = async (method: string, params: unknown) => {
    for (const { server } of sessions.values()) await server.notification({ method, params } as never)
  }

  const http = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      authorizations.push(request.headers.get("authorization"))
      if (request.headers.get("authorization") !== `Bearer ${token}`) return new Response("no", { status: 401 })
      if (new URL(request.url).pathname !== "/mcp") return new Response("no", { status: 404 })
      const known = sessions.get(request.headers.get("mcp-session-id") ?? "")
      const response = await (known?.transport ?? (await newSession())).handleRequest(request)
      if (request.method === "GET" && response.ok) {
        listeners += 1
        if (options.context !== undefined) setTimeout(() => void tell("ide/contextUpdate", options.context), 0)
      }
      return response
    }
  })
  const port = http.port ?? 0
  const folder = companionFolder(workspace)
  const file = join(folder, `gemini-ide-server-${process.pid}-${port}.json`)
  if (options.writesFile !== false) {
    await mkdir(folder, { recursive: true })
    const workspacePath = "workspacePath" in options ? options.workspacePath : workspace.cwd
    const ideInfo = { name: "testeditor", displayName: "Test Editor" }
    const content = { port, workspacePath, authToken: options.toldToken ?? token, ideInfo }
    await writeFile(file, JSON.stringify(content), { mode: 0o600 })
  }
  const die = async () => {
    await http.stop(true)
    for (const { server } of sessions.values()) await server.close()
  }
  return {
    port,
    file,
    calls,
    authorizations,
    listeners: () => listeners,
    tell,
    die,
    until: async (isReached) => {
      const patience = Date.now() + 12_000
      while (!isReached()) {
        if (Date.now() > patience) throw new Error(`the companion waited in vain; calls: ${JSON.stringify(calls)}`)
        await Bun.sleep(10)
      }
    },
    [Symbol.asyncDispose]: die
  }
}
