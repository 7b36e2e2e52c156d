/** Tasks as the SDK of the protocol runs them: messages go to the conversation of their task, what happens there goes on the bus. */
import { type Task, TaskState } from "@a2a-js/sdk"
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type ExecutionEventBusManager,
  type RequestContext,
  type ServerCallContext
} from "@a2a-js/sdk/server"
import { Effect, Either, Option, Runtime, Schema } from "effect"
import { type AgentTask, openTask, type TaskListener, type TaskTurn } from "./agent-task.ts"
import type { News, NewsKind } from "./task-events.ts"
import { TaskFault, type TaskHost } from "./task-host.ts"
import { readMessage, settingsIn } from "./task-message.ts"

/** Each has its own services; one that rests is closed for another, and opened again from its record. */
const MAX_OPEN = 32

export interface TaskExecutor extends AgentExecutor {
  /** Whoever sent the message of this request is gone. */
  readonly leave: (request: ServerCallContext) => void
  readonly closeAll: Effect.Effect<void>
}

/** A message that is being worked on. */
interface Execution {
  hasLeft: boolean
  /** Once there is a conversation. */
  leave: Effect.Effect<void>
}

interface ExecutorOptions {
  readonly host: TaskHost
  readonly runtime: Runtime.Runtime<never>
  readonly buses: ExecutionEventBusManager
}

export const makeExecutor = ({ buses, host, runtime }: ExecutorOptions): TaskExecutor => {
  const open = new Map<string, AgentTask>()
  const executions = new Map<ServerCallContext, Execution>()
  const opening = Effect.unsafeMakeSemaphore(1)
  const run = Runtime.runPromise(runtime)

  const forget = Effect.fnUntraced(function* (taskId: string) {
    const task = open.get(taskId)
    open.delete(taskId)
    buses.cleanupByTaskId(taskId)
    if (task !== undefined) yield* task.close
  })

  const makeRoom = Effect.gen(function* () {
    if (open.size < MAX_OPEN) return
    for (const [id, task] of open) {
      if (yield* task.isBusy) continue
      yield* forget(id)
      return
    }
    return yield* new TaskFault({ message: `${MAX_OPEN} tasks are under way; try again when one has ended` })
  })

  const taskFor = Effect.fnUntraced(function* ({ request, task, taskId, userMessage }: RequestContext) {
    const known = open.get(taskId)
    if (known !== undefined) return known
    yield* makeRoom
    const given = settingsIn(userMessage.metadata, request.metadata)
    const kept = persistedIn(task)
    const opened = yield* openTask(host, {
      taskId,
      isKnown: task !== undefined,
      folder: kept.workspacePath ?? given.workspacePath,
      executesAll: kept.autoExecute ?? given.autoExecute ?? false
    })
    open.set(taskId, opened)
    return opened
  })

  const execute = Effect.fn("A2a.execute")(function* (context: RequestContext, bus: ExecutionEventBus) {
    const { context: request, task, taskId, userMessage } = context
    const execution: Execution = { hasLeft: false, leave: Effect.void }
    executions.set(request, execution)
    let hasFailed = false
    const listener = listenerOn(bus, context, (turn) => {
      hasFailed ||= turn.state === "failed"
    })
    const opened = yield* Effect.either(opening.withPermits(1)(taskFor(context)))
    const settings = {
      ...settingsIn(userMessage.metadata, context.request.metadata),
      ...(Either.isRight(opened) ? { workspacePath: opened.right.folder } : {})
    }
    yield* Effect.sync(() => bus.publish(AgentEvent.task(task ?? newTask(context, settings))))
    if (Either.isLeft(opened)) {
      return listener.turn({ state: "failed", error: opened.left.message }, undefined)
    }
    if (execution.hasLeft) return listener.turn({ state: "input-required" }, undefined)
    execution.leave = opened.right.leave(listener)
    yield* Effect.annotateLogs(Effect.logInfo("a task has a message"), { taskId })
    yield* opened.right.tell(readMessage(userMessage.parts), listener)
    yield* Effect.annotateLogs(Effect.logInfo("a task rests"), { taskId })
    if (hasFailed) yield* forget(taskId)
  })

  return {
    execute: (context, bus) =>
      run(
        Effect.ensuring(
          execute(context, bus),
          Effect.sync(() => executions.delete(context.context))
        )
      ),
    cancelTask: (taskId, bus) =>
      run(
        Effect.suspend(() => {
          const task = open.get(taskId)
          open.delete(taskId)
          // The SDK keeps the ids that belong to the task.
          const listener = listenerOn(bus, { taskId, contextId: "" })
          if (task === undefined) return Effect.sync(() => listener.turn({ state: "canceled" }, undefined))
          return Effect.zipRight(
            task.cancel(listener),
            Effect.annotateLogs(Effect.logInfo("a task is cancelled"), { taskId })
          )
        })
      ),
    leave: (request) => {
      const execution = executions.get(request)
      if (execution === undefined) return
      execution.hasLeft = true
      void run(Effect.suspend(() => execution.leave))
    },
    closeAll: Effect.suspend(() =>
      Effect.forEach([...open.values()], ({ close }) => close, { concurrency: "unbounded", discard: true })
    )
  }
}

const Persisted = Schema.Struct({
  __persistedState: Schema.Struct({
    _agentSettings: Schema.Struct({
      workspacePath: Schema.optional(Schema.String),
      autoExecute: Schema.optional(Schema.Boolean)
    })
  })
})

const persistedIn = (task: Task | undefined): (typeof Persisted.Type)["__persistedState"]["_agentSettings"] =>
  Option.match(Schema.decodeUnknownOption(Persisted)(task?.metadata), {
    onNone: () => ({}),
    onSome: ({ __persistedState }) => __persistedState._agentSettings
  })

const newTask = ({ contextId, taskId, userMessage }: RequestContext, settings: object): Task => ({
  id: taskId,
  contextId,
  status: { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: now() },
  artifacts: [],
  history: [userMessage],
  metadata: {
    __persistedState: { _agentSettings: { kind: "agent-settings", ...settings }, _taskState: "submitted" },
    _contextId: contextId
  }
})

const listenerOn = (
  bus: ExecutionEventBus,
  { contextId, taskId }: { readonly taskId: string; readonly contextId: string },
  onTurn: (turn: TaskTurn) => void = () => {}
): TaskListener => {
  const status = (state: TaskState, kind: NewsKind, model: string | undefined, more: StatusParts = {}) =>
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: { state, message: messageOf(more, { contextId, taskId }), timestamp: now() },
        metadata: { coderAgent: { kind }, ...(model === undefined ? {} : { model }), ...more.metadata }
      })
    )
  return {
    turn: (turn, model) => {
      onTurn(turn)
      status(STATES[turn.state], "state-change", model, { metadata: metadataOf(turn) })
      if (turn.state === "canceled" || turn.state === "failed") bus.finished()
    },
    news: (news, model) => {
      switch (news._tag) {
        case "Text":
          return status(TaskState.TASK_STATE_WORKING, news.kind, model, news)
        case "Data":
          return status(TaskState.TASK_STATE_WORKING, news.kind, model, { data: news.data })
        case "Output":
          bus.publish(AgentEvent.artifactUpdate(outputOf(news, { contextId, taskId })))
      }
    }
  }
}

interface StatusParts {
  readonly messageId?: string
  readonly text?: string
  readonly data?: unknown
  readonly metadata?: Readonly<Record<string, unknown>>
}

const STATES: Readonly<Record<TaskTurn["state"], TaskState>> = {
  "input-required": TaskState.TASK_STATE_INPUT_REQUIRED,
  working: TaskState.TASK_STATE_WORKING,
  canceled: TaskState.TASK_STATE_CANCELED,
  failed: TaskState.TASK_STATE_FAILED
}

const metadataOf = (turn: TaskTurn): Readonly<Record<string, unknown>> => ({
  ...("error" in turn && turn.error !== undefined ? { error: turn.error } : {}),
  ...("usage" in turn && turn.usage !== undefined ? { usageMetadata: turn.usage } : {})
})

interface TaskIds {
  readonly taskId: string
  readonly contextId: string
}

const messageOf = ({ data, messageId, text }: StatusParts, ids: TaskIds) =>
  text === undefined && data === undefined
    ? undefined
    : {
        ...ids,
        messageId: messageId ?? crypto.randomUUID(),
        role: ROLE_AGENT,
        parts: [text === undefined ? dataPart(data) : textPart(text)],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: []
      }

/** `Role.ROLE_AGENT`: the enumeration itself would load the whole of the SDK's types. */
const ROLE_AGENT = 2

const part = { metadata: undefined, filename: "", mediaType: "" }
const textPart = (value: string) => ({ ...part, content: { $case: "text" as const, value } })
const dataPart = (value: unknown) => ({ ...part, content: { $case: "data" as const, value } })

const outputOf = ({ append, callId, text }: Extract<News, { readonly _tag: "Output" }>, ids: TaskIds) => ({
  ...ids,
  artifact: {
    artifactId: `tool-${callId}-output`,
    name: "",
    description: "",
    parts: [textPart(text)],
    metadata: undefined,
    extensions: []
  },
  append,
  lastChunk: false,
  metadata: undefined
})

const now = (): string => new Date().toISOString()
