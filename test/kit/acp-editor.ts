/**
 * An editor made of the protocol's own SDK: it starts the compiled binary with `--acp`, answers its questions, and holds
 * every line that the binary prints against the JSON Schema of the protocol.
 */
import { readFileSync } from "node:fs"
import {
  type AnyMessage,
  type ClientCapabilities,
  client,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream
} from "@agentclientprotocol/sdk"
import Ajv2020 from "ajv/dist/2020.js"
import { BINARY, environmentOf, type RunOptions, type Workspace } from "./run-gemini.ts"

export interface EditorOptions extends RunOptions {
  readonly args?: ReadonlyArray<string>
  readonly capabilities?: ClientCapabilities
  /** The option that is chosen; `undefined`: the question is never answered. */
  readonly permission?: (question: RequestPermissionRequest) => string | undefined
  readonly files?: Map<string, string>
  readonly form?: (request: unknown) => unknown
}

export interface Editor extends AsyncDisposable {
  readonly pid: number
  readonly request: <A = Record<string, unknown>>(method: string, params?: unknown, signal?: AbortSignal) => Promise<A>
  readonly notify: (method: string, params: unknown) => Promise<void>
  /** A line as it is. */
  readonly raw: (line: string) => void
  readonly updates: Array<SessionUpdate & { sessionId: string }>
  readonly questions: Array<RequestPermissionRequest>
  /** Every message of the binary, in order. */
  readonly messages: Array<Record<string, unknown>>
  /** Lines that do not fit the schema. */
  readonly faults: Array<string>
  readonly until: (isReached: () => boolean) => Promise<void>
  readonly stderr: () => string
  /** Ends the input; the exit code. */
  readonly end: () => Promise<number>
  readonly exited: Promise<number>
  readonly kill: (signal: NodeJS.Signals) => void
}

const schema = JSON.parse(
  readFileSync(new URL("../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json", import.meta.url), "utf8")
)
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(schema, "acp")

const RESULTS: Readonly<Record<string, string>> = {
  initialize: "InitializeResponse",
  authenticate: "AuthenticateResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/list": "ListSessionsResponse",
  "session/prompt": "PromptResponse",
  "session/set_config_option": "SetSessionConfigOptionResponse"
}
const PARAMS: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "fs/read_text_file": "ReadTextFileRequest",
  "fs/write_text_file": "WriteTextFileRequest",
  "elicitation/create": "CreateElicitationRequest",
  "$/cancel_request": "CancelRequestNotification"
}

export const startEditor = async (workspace: Workspace, options: EditorOptions = {}): Promise<Editor> => {
  const child = Bun.spawn([BINARY, "--acp", ...(options.args ?? [])], {
    cwd: options.cwd ?? workspace.cwd,
    env: { ...environmentOf(workspace.root, options.server), ...options.env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe"
  })
  const asked = new Map<unknown, string>()
  const editor = {
    updates: [] as Editor["updates"],
    questions: [] as Editor["questions"],
    messages: [] as Editor["messages"],
    faults: [] as Array<string>
  }
  const wake = new EventTarget()
  const changed = () => void wake.dispatchEvent(new Event("change"))
  let stderr = ""
  void (async () => {
    for await (const chunk of child.stderr) stderr += new TextDecoder().decode(chunk)
  })()

  const check = (line: string): AnyMessage | undefined => {
    const message = JSON.parse(line)
    editor.messages.push(message)
    const name = "method" in message ? PARAMS[message.method] : RESULTS[asked.get(message.id) ?? ""]
    const value = "method" in message ? message.params : message.result
    if (name !== undefined && value !== undefined && !ajv.validate({ $ref: `acp#/$defs/${name}` }, value)) {
      editor.faults.push(`${name}: ${ajv.errorsText()} in ${line.slice(0, 500)}`)
    }
    if ("method" in message && name === undefined) editor.faults.push(`unknown method: ${line.slice(0, 200)}`)
    // What answers a line of the test's own is no business of the SDK.
    return "method" in message || asked.has(message.id) ? message : undefined
  }

  const write = (line: string) => {
    void child.stdin.write(`${line}\n`)
    return child.stdin.flush()
  }
  const stream: Stream = {
    readable: new ReadableStream<AnyMessage>({
      async start(controller) {
        let rest = ""
        const decoder = new TextDecoder()
        for await (const chunk of child.stdout) {
          rest += decoder.decode(chunk, { stream: true })
          const lines = rest.split("\n")
          rest = lines.pop() ?? ""
          for (const line of lines) {
            const message = check(line)
            if (message !== undefined) controller.enqueue(message)
          }
          changed()
        }
        if (rest !== "") editor.faults.push(`unfinished line: ${rest.slice(0, 200)}`)
        controller.close()
      }
    }),
    writable: new WritableStream<AnyMessage>({
      write: async (message) => {
        if ("method" in message && "id" in message) asked.set(message.id, message.method)
        await write(JSON.stringify(message))
      }
    })
  }

  const app = client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      editor.updates.push({ ...params.update, sessionId: params.sessionId })
      changed()
    })
    .onRequest("session/request_permission", async ({ params }) => {
      editor.questions.push(params)
      changed()
      const optionId = options.permission === undefined ? "proceed_once" : options.permission(params)
      if (optionId === undefined) return await new Promise<never>(() => {})
      return { outcome: { outcome: "selected", optionId } }
    })
    .onRequest("fs/read_text_file", ({ params }) => {
      const content = options.files?.get(params.path)
      if (content === undefined) throw new Error(`ENOENT: ${params.path}`)
      return { content }
    })
    .onRequest("fs/write_text_file", ({ params }) => {
      options.files?.set(params.path, params.content)
      return {}
    })
    .onRequest("elicitation/create", ({ params }) => options.form?.(params) as never)
  const connection = app.connect(stream)

  const request = <A>(method: string, params: unknown = {}, signal?: AbortSignal) =>
    connection.agent.request<A>(method, params, signal === undefined ? {} : { cancellationSignal: signal })
  if (options.capabilities !== undefined || options.args?.includes("--no-initialize") !== true) {
    await request("initialize", { protocolVersion: 1, clientCapabilities: options.capabilities ?? {} })
  }
  const end = async () => {
    void child.stdin.end()
    return await child.exited
  }
  return {
    ...editor,
    pid: child.pid,
    request,
    notify: (method, params) => connection.agent.notify(method, params),
    raw: (line) => void write(line),
    until: async (isReached) => {
      while (!isReached()) await new Promise((resolve) => wake.addEventListener("change", resolve, { once: true }))
    },
    stderr: () => stderr,
    end,
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000)
      await end()
      clearTimeout(timer)
    }
  }
}

/** The text of all chunks of a kind. */
export const said = (editor: Pick<Editor, "updates">, kind = "agent_message_chunk"): string =>
  editor.updates
    .map((update) =>
      update.sessionUpdate === kind &&
      "content" in update &&
      update.content !== null &&
      "text" in (update.content ?? {})
        ? (update.content as { text: string }).text
        : ""
    )
    .join("")
