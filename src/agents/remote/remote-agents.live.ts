/**
 * Remote agents over the A2A protocol. Each has one conversation in a session: what the agent calls its context is kept,
 * and a task that waits for input is gone on with by the next call.
 */
import { type Message, type Part, Role, TaskState as SdkState, type StreamResponse, type Task } from "@a2a-js/sdk"
import { Duration, Effect, Either, Ref, Runtime } from "effect"
import { monotonicMillis } from "../../kernel/monotonic-time.ts"
import type { HttpClient } from "../../system/http/http.ts"
import { type CallContext, ToolFailure, type ToolOutput } from "../../tools/tool.ts"
import type { RemoteAgent } from "../agent.ts"
import { lastWord, tellRun } from "../run/agent-events.ts"
import { type AuthSources, agentAuth } from "./auth-headers.ts"
import { RemoteAgentError, RemoteAgents } from "./remote-agents.ts"
import {
  addUpdate,
  answerText,
  beginAnswer,
  markedAnswer,
  type RemoteAnswer,
  type RemoteArtifact,
  type RemotePart,
  type RemoteThread,
  type RemoteUpdate,
  type TaskState
} from "./remote-answer.ts"
import { connect, type RemoteClient, remoteFault } from "./remote-client.live.ts"
import { remoteFetch, type Signing } from "./remote-fetch.ts"

export interface RemoteOptions {
  readonly http: HttpClient
  /** For transports that do not go through it: they name the proxy. */
  readonly variables: Readonly<Record<string, string>>
  readonly auth: AuthSources
}

/** For one call, however long the agent works. */
const CALL_WITHIN = Duration.minutes(30)

interface Known {
  readonly agent: RemoteAgent
  readonly client: RemoteClient
}

const NEW_THREAD: RemoteThread = { contextId: undefined, taskId: undefined }

export const make = Effect.fnUntraced(function* (options: RemoteOptions) {
  // This is made where nothing interrupts it; what runs on it later must be: it waits for people and programs.
  const runtime = yield* Effect.interruptible(Effect.runtime<never>())
  // By the definition itself: one that was read again may say something else.
  const clients = yield* Ref.make<ReadonlyMap<string, Known>>(new Map())
  const threads = yield* Ref.make<ReadonlyMap<string, RemoteThread>>(new Map())

  /** An agent that could not be reached is tried again by the next call. */
  const clientOf = Effect.fnUntraced(function* (agent: RemoteAgent) {
    const known = (yield* Ref.get(clients)).get(agent.name)
    if (known?.agent === agent) return known.client
    const auth = agentAuth(agent.name, agent.auth, options.auth)
    const run = async <A>(effect: Effect.Effect<A, string>, signal: AbortSignal | undefined): Promise<A> => {
      const made = await Runtime.runPromise(runtime)(Effect.either(effect), signal === undefined ? {} : { signal })
      // Thrown as it is, so that whoever asked the SDK knows it again.
      if (Either.isLeft(made)) throw new RemoteAgentError({ agent: agent.name, kind: "auth", detail: made.left })
      return made.right
    }
    const { http, variables } = options
    const signing: Signing = {
      headers: (url, signal) => run(auth.headers(url), signal),
      renew: (url, signal) => run(auth.renew(url), signal)
    }
    const made = yield* connect(agent, {
      plain: remoteFetch({ http, headers: async () => ({}), renew: async () => false }),
      signed: remoteFetch({ http, ...signing }),
      signing,
      variables
    })
    yield* Ref.update(clients, (all) => new Map(all).set(agent.name, { agent, client: made }))
    return made
  })

  const converse = Effect.fnUntraced(function* (agent: RemoteAgent, prompt: string, call: CallContext) {
    const { client } = yield* clientOf(agent)
    const teller = tellRun(agent.name, call)
    const thread = (yield* Ref.get(threads)).get(agent.name) ?? NEW_THREAD
    const answer = yield* Ref.make(beginAnswer(thread))
    const keep = (next: RemoteThread) => Ref.update(threads, (all) => new Map(all).set(agent.name, next))
    const take = Effect.fnUntraced(function* (next: RemoteAnswer, before: RemoteAnswer) {
      yield* Ref.set(answer, next)
      yield* keep(next.thread)
      const said = next.messages.length > before.messages.length ? next.messages.at(-1) : undefined
      if (said !== undefined) yield* teller.step({ _tag: "Text", text: said })
      yield* call.progress(answerText(next))
    })
    yield* Effect.tryPromise({
      try: async (signal) => {
        const request = {
          tenant: "",
          message: messageOfUser(prompt, thread),
          configuration: undefined,
          metadata: undefined
        }
        for await (const response of client.sendMessageStream(request, { signal })) {
          const update = updateOf(response)
          if (update === undefined) continue
          const before = Ref.get(answer)
          await Runtime.runPromise(runtime)(Effect.flatMap(before, (now) => take(addUpdate(now, update), now)))
        }
      },
      catch: (cause) => remoteFault(agent, "refused", cause)
    }).pipe(
      Effect.timeoutFail({
        duration: CALL_WITHIN,
        onTimeout: () =>
          new RemoteAgentError({
            agent: agent.name,
            kind: "timeout",
            detail: `it did not end within ${Duration.format(CALL_WITHIN)}`
          })
      }),
      // What it was working on may be what it cannot do: the next call begins a new task.
      Effect.tapError(() => keep({ ...thread, taskId: undefined }))
    )
    return yield* Ref.get(answer)
  })

  return RemoteAgents.of({
    introduce: (agent) => Effect.map(clientOf(agent), ({ facts }) => facts),
    run: Effect.fn("agent_call")(function* (agent, prompt, call) {
      const teller = tellRun(agent.name, call)
      const startedAt = yield* monotonicMillis
      const agentId = `${agent.name}-${call.callId}`
      yield* teller.step({ _tag: "AgentStarted", agentId, prompt })
      const finish = Effect.fnUntraced(function* (reason: "GOAL" | "ERROR" | "ABORTED") {
        const durationMs = (yield* monotonicMillis) - startedAt
        yield* teller.step({ _tag: "AgentFinished", agentId, reason, turns: 1, durationMs })
      })
      return yield* converse(agent, prompt, call).pipe(
        Effect.mapError(({ message }) => failure(`The remote agent ${agent.name} failed: ${message}`)),
        Effect.flatMap((answer) => outputOf(agent, answer)),
        Effect.tapBoth({ onSuccess: () => finish("GOAL"), onFailure: () => finish("ERROR") }),
        Effect.onInterrupt(() => lastWord(finish("ABORTED")))
      )
    })
  })
})

const messageOfUser = (prompt: string, { contextId, taskId }: RemoteThread): Message => ({
  messageId: crypto.randomUUID(),
  role: Role.ROLE_USER,
  parts: [{ content: { $case: "text", value: prompt }, metadata: undefined, filename: "", mediaType: "text/plain" }],
  contextId: contextId ?? "",
  taskId: taskId ?? "",
  metadata: undefined,
  extensions: [],
  referenceTaskIds: []
})

const outputOf = (agent: RemoteAgent, answer: RemoteAnswer): Effect.Effect<ToolOutput, ToolFailure> => {
  const forModel = markedAnswer(answer)
  if (answer.state === "failed" || answer.state === "rejected" || answer.state === "canceled") {
    return failure(`The remote agent ${agent.name} did not do it (${answer.state}).\n${forModel}`)
  }
  const text = answerText(answer)
  const said = text === "" ? "The agent said nothing." : text
  return Effect.succeed({
    forModel: forModel === "" ? said : forModel,
    display: { type: "text", text: said },
    data: { state: answer.state }
  })
}

const failure = (message: string) => new ToolFailure({ type: "execution_failed", message })

/** Updates of the SDK in our own words. */

/** `undefined`: it says nothing that we know. */
const updateOf = ({ payload }: StreamResponse): RemoteUpdate | undefined => {
  switch (payload?.$case) {
    case "message":
      return messageUpdate(payload.value)
    case "task":
      return taskUpdate(payload.value)
    case "statusUpdate": {
      const { contextId, status, taskId } = payload.value
      return {
        _tag: "Status",
        contextId,
        taskId,
        state: stateOf(status?.state),
        parts: partsOf(status?.message?.parts ?? [])
      }
    }
    case "artifactUpdate": {
      const { append, artifact, contextId, taskId } = payload.value
      return artifact === undefined
        ? undefined
        : { _tag: "Artifact", contextId, taskId, artifact: artifactOf(artifact), isAppended: append }
    }
    default:
      return undefined
  }
}

const messageUpdate = ({ contextId, parts, taskId }: Message): RemoteUpdate => ({
  _tag: "Message",
  contextId,
  taskId,
  parts: partsOf(parts)
})

const taskUpdate = ({ artifacts, contextId, history, id, status }: Task): RemoteUpdate => ({
  _tag: "Task",
  contextId,
  taskId: id,
  state: stateOf(status?.state),
  parts: partsOf(status?.message?.parts ?? []),
  artifacts: artifacts.map(artifactOf),
  lastMessage: partsOf(history.findLast(({ role }) => role === Role.ROLE_AGENT)?.parts ?? [])
})

const artifactOf = ({ artifactId, name, parts }: Task["artifacts"][number]): RemoteArtifact => ({
  id: artifactId,
  name,
  parts: partsOf(parts)
})

const partsOf = (parts: ReadonlyArray<Part>): ReadonlyArray<RemotePart> =>
  parts.flatMap(({ content, filename }): ReadonlyArray<RemotePart> => {
    switch (content?.$case) {
      case "text":
        return [{ _tag: "text", text: content.value }]
      case "data":
        return [{ _tag: "data", value: content.value }]
      case "url":
        return [{ _tag: "file", name: filename, uri: content.value }]
      case "raw":
        return [{ _tag: "file", name: filename === "" ? "unnamed" : filename }]
      default:
        return []
    }
  })

const STATES: ReadonlyMap<SdkState, TaskState> = new Map([
  [SdkState.TASK_STATE_SUBMITTED, "submitted"],
  [SdkState.TASK_STATE_WORKING, "working"],
  [SdkState.TASK_STATE_COMPLETED, "completed"],
  [SdkState.TASK_STATE_FAILED, "failed"],
  [SdkState.TASK_STATE_CANCELED, "canceled"],
  [SdkState.TASK_STATE_INPUT_REQUIRED, "input-required"],
  [SdkState.TASK_STATE_REJECTED, "rejected"],
  [SdkState.TASK_STATE_AUTH_REQUIRED, "auth-required"]
])

const stateOf = (state: SdkState | undefined): TaskState =>
  (state === undefined ? undefined : STATES.get(state)) ?? "unknown"
