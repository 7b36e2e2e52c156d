/**
 * A remote agent for tests, served by the SDK itself: what it does is said by the message that it gets. It speaks the
 * present version of the protocol or the one before, and may want to know who calls.
 */
import { type AgentCard, formatSSEEvent, type Message, Role, type Task, TaskState } from "@a2a-js/sdk"
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server"
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext
} from "@a2a-js/sdk/server"

export interface A2aServer extends AsyncDisposable {
  readonly url: string
  readonly cardUrl: string
  /** Messages that came, with the ids that they came with. */
  readonly received: ReadonlyArray<{ readonly text: string; readonly contextId: string; readonly taskId: string }>
  /** Header of each request that was let in or refused. */
  readonly authorizations: ReadonlyArray<string>
}

export interface A2aOptions {
  readonly version?: "1.0" | "0.3"
  /** `Authorization` that is let in; others get 401. */
  readonly accepts?: (authorization: string) => boolean
  /** The card is shown to callers that are let in only. */
  readonly hidesCard?: boolean
}

const text = (value: string): Message["parts"][number] => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain"
})

export const startA2aServer = ({
  accepts = () => true,
  hidesCard = false,
  version = "1.0"
}: A2aOptions = {}): A2aServer => {
  const received: Array<A2aServer["received"][number]> = []
  const authorizations: Array<string> = []
  const handlers = new Map<string, (body: string, context: ServerCallContext) => Promise<unknown>>()
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request): Promise<Response> => {
      const authorization = request.headers.get("authorization") ?? request.headers.get("x-api-key") ?? ""
      authorizations.push(authorization)
      const isCard = request.method === "GET"
      if (!accepts(authorization) && (!isCard || hidesCard)) return new Response("who are you?", { status: 401 })
      if (isCard) {
        return new URL(request.url).pathname === "/card.json" ? Response.json(card(server.url.href, version)) : gone()
      }
      const context = new ServerCallContext({ requestedVersion: version })
      const answer = await handlers.get("rpc")?.(await request.text(), context)
      return isStream(answer)
        ? new Response(events(answer), { headers: { "content-type": "text/event-stream" } })
        : Response.json(answer)
    }
  })
  const handler = new DefaultRequestHandler(modernCard(server.url.href), new InMemoryTaskStore(), executor(received))
  const rpc = version === "1.0" ? new JsonRpcTransportHandler(handler) : new LegacyJsonRpcTransportHandler(handler)
  handlers.set("rpc", (body, context) => rpc.handle(body, context))
  return {
    url: server.url.href,
    cardUrl: `${server.url.href}card.json`,
    received,
    authorizations,
    [Symbol.asyncDispose]: () => server.stop(true)
  }
}

const gone = () => new Response("no", { status: 404 })

const isStream = (answer: unknown): answer is AsyncGenerator<unknown> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer

const events = (answer: AsyncGenerator<unknown>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await answer.next()
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(formatSSEEvent(value)))
    },
    cancel: async () => void (await answer.return(undefined))
  })
}

/** What the agent does with a message: the first word says it. */
const executor = (received: Array<A2aServer["received"][number]>): AgentExecutor => ({
  execute: async (context, bus) => {
    const said = context.userMessage.parts
      .map(({ content }) => (content?.$case === "text" ? content.value : ""))
      .join("")
    received.push({ text: said, contextId: context.userMessage.contextId, taskId: context.userMessage.taskId })
    const reply = replyTo(context, bus)
    switch (said.split(" ")[0]) {
      case "hello":
        bus.publish(AgentEvent.message(reply.message("hello yourself")))
        break
      case "stream":
        reply.begin()
        reply.status(TaskState.TASK_STATE_WORKING, "looking")
        reply.artifact("part one, ", false)
        reply.artifact("part two", true)
        reply.status(TaskState.TASK_STATE_COMPLETED, "done")
        break
      case "fail":
        reply.begin()
        reply.status(TaskState.TASK_STATE_FAILED, "the disk is gone")
        break
      case "ask":
        reply.begin()
        reply.status(TaskState.TASK_STATE_INPUT_REQUIRED, "which file?")
        break
      case "login":
        reply.begin()
        reply.status(TaskState.TASK_STATE_AUTH_REQUIRED, "sign in at https://example.test/")
        break
      case "wait":
        reply.begin()
        await new Promise(() => {})
        break
      default:
        reply.begin()
        reply.status(TaskState.TASK_STATE_COMPLETED, `you said: ${said}`)
    }
    bus.finished()
  },
  cancelTask: async () => {}
})

const replyTo = ({ contextId, task, taskId }: RequestContext, bus: ExecutionEventBus) => {
  const message = (value: string): Message => ({
    messageId: crypto.randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [text(value)],
    contextId,
    taskId,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: []
  })
  const status = (state: TaskState, value: string) => ({ state, message: message(value), timestamp: undefined })
  const begun: Task = task ?? {
    id: taskId,
    contextId,
    status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined },
    artifacts: [],
    history: [],
    metadata: undefined
  }
  return {
    message: (value: string) => ({ ...message(value), taskId: "" }),
    begin: () => bus.publish(AgentEvent.task(begun)),
    status: (state: TaskState, value: string) =>
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, value), metadata: undefined })),
    artifact: (value: string, append: boolean) =>
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: {
            artifactId: "report",
            name: "Report",
            description: "",
            parts: [text(value)],
            metadata: undefined,
            extensions: []
          },
          append,
          lastChunk: append,
          metadata: undefined
        })
      )
  }
}

const SKILL = {
  id: "far",
  name: "Far sight",
  description: "Sees far.",
  tags: [],
  examples: [],
  inputModes: [],
  outputModes: []
}

const modernCard = (url: string): AgentCard => ({
  name: "Far agent",
  description: "Works elsewhere.",
  supportedInterfaces: [
    { url, protocolBinding: "JSONRPC", tenant: "", protocolVersion: "1.0" },
    { url, protocolBinding: "JSONRPC", tenant: "", protocolVersion: "0.3" }
  ],
  provider: undefined,
  version: "1",
  capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ ...SKILL, securityRequirements: [] }],
  signatures: []
})

/** As it stands on the wire. */
const card = (url: string, version: "1.0" | "0.3"): object =>
  version === "1.0"
    ? {
        ...modernCard(url),
        supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }]
      }
    : {
        name: "Far agent",
        description: "Works elsewhere.",
        url,
        version: "1",
        protocolVersion: "0.3.0",
        preferredTransport: "JSONRPC",
        capabilities: { streaming: true, pushNotifications: false },
        defaultInputModes: ["text"],
        defaultOutputModes: ["text"],
        skills: [SKILL]
      }
