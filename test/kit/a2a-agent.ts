/**
 * What a remote agent of a test is and does: its cards, and what it makes of a message, whose first word says it. Served
 * over HTTP by `a2a-server.ts`, over gRPC by `a2a-grpc.ts`.
 */
import { type AgentCard, type Message, Role, type Task, TaskState } from "@a2a-js/sdk"
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from "@a2a-js/sdk/server"

/** A message that came, with the ids that it came with. */
export interface Received {
  readonly text: string
  readonly contextId: string
  readonly taskId: string
}

export type Binding = "JSONRPC" | "HTTP+JSON" | "GRPC"
export type Version = "1.0" | "0.3"

const text = (value: string): Message["parts"][number] => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain"
})

export const executor = (received: Array<Received>): AgentExecutor => ({
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
      case "cancel":
        reply.begin()
        reply.status(TaskState.TASK_STATE_CANCELED, "somebody stopped it")
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

/** As the SDK holds it. */
export const modernCard = (url: string, binding: Binding): AgentCard => ({
  name: "Far agent",
  description: "Works elsewhere.",
  supportedInterfaces: (["1.0", "0.3"] as const).map((protocolVersion) => ({
    url,
    protocolBinding: binding,
    tenant: "",
    protocolVersion
  })),
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
export const card = (url: string, { binding, version }: { readonly binding: Binding; readonly version: Version }) =>
  version === "1.0"
    ? {
        ...modernCard(url, binding),
        supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: "1.0" }]
      }
    : {
        name: "Far agent",
        description: "Works elsewhere.",
        url,
        version: "1",
        protocolVersion: "0.3.0",
        preferredTransport: binding,
        capabilities: { streaming: true, pushNotifications: false },
        defaultInputModes: ["text"],
        defaultOutputModes: ["text"],
        skills: [SKILL]
      }
