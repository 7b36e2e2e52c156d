/**
 * The answer of a remote agent, folded from its updates: messages and artifacts as one text, and where the conversation
 * with it stands. Pure.
 */
import { untrusted } from "../../kernel/prompt-frames.ts"

/** Of the conversation with one agent; kept for the session. */
export interface RemoteThread {
  readonly contextId: string | undefined
  /** A task that is open: the next message goes on with it. */
  readonly taskId: string | undefined
}

export interface RemoteAnswer {
  readonly thread: RemoteThread
  /** The task that this answer goes on with: what it had said before is not said again. */
  readonly continued: string | undefined
  readonly state: TaskState | undefined
  /** Texts of the agent, each once. */
  readonly messages: ReadonlyArray<string>
  readonly artifacts: ReadonlyMap<string, RemoteArtifact>
  /** Said only where a task that ended has nothing else to show. */
  readonly lastMessage: string
}

export const beginAnswer = (thread: RemoteThread): RemoteAnswer => ({
  thread,
  continued: thread.taskId,
  state: undefined,
  messages: [],
  artifacts: new Map(),
  lastMessage: ""
})

export const addUpdate = (answer: RemoteAnswer, update: RemoteUpdate): RemoteAnswer => {
  const placed = { ...answer, thread: threadAfter(answer.thread, update) }
  switch (update._tag) {
    case "Message":
      return withMessage(placed, update.parts)
    case "Status":
      return withMessage({ ...placed, state: update.state }, update.parts)
    case "Artifact":
      return { ...placed, artifacts: withArtifact(placed.artifacts, update.artifact, update.isAppended) }
    case "Task": {
      const artifacts = update.artifacts.reduce((all, one) => withArtifact(all, one, false), placed.artifacts)
      const known = { ...placed, state: update.state, artifacts, lastMessage: textOf(update.lastMessage) }
      const isRecap = update.taskId === answer.continued && !isTerminal(update.state)
      return isRecap ? known : withMessage(known, update.parts)
    }
  }
}

const threadAfter = (before: RemoteThread, update: RemoteUpdate): RemoteThread => {
  const isOver = (update._tag === "Status" || update._tag === "Task") && isTerminal(update.state)
  return {
    contextId: update.contextId === "" ? before.contextId : update.contextId,
    taskId: isOver ? undefined : update.taskId === "" ? before.taskId : update.taskId
  }
}

/** Agents tell the same status more than once. */
const withMessage = (answer: RemoteAnswer, parts: ReadonlyArray<RemotePart>): RemoteAnswer => {
  const text = textOf(parts)
  return text === "" || answer.messages.at(-1) === text ? answer : { ...answer, messages: [...answer.messages, text] }
}

const withArtifact = (
  artifacts: RemoteAnswer["artifacts"],
  artifact: RemoteArtifact,
  isAppended: boolean
): RemoteAnswer["artifacts"] => {
  const before = artifacts.get(artifact.id)
  const whole =
    isAppended && before !== undefined
      ? { ...before, name: before.name || artifact.name, parts: joined(before.parts, artifact.parts) }
      : artifact
  return new Map(artifacts).set(artifact.id, whole)
}

/** Pieces of a text that comes bit by bit are one text. */
const joined = (before: ReadonlyArray<RemotePart>, added: ReadonlyArray<RemotePart>): ReadonlyArray<RemotePart> => {
  const [first, ...rest] = added
  const last = before.at(-1)
  return last?._tag === "text" && first?._tag === "text"
    ? [...before.slice(0, -1), { _tag: "text", text: last.text + first.text }, ...rest]
    : [...before, ...added]
}

export const textOf = (parts: ReadonlyArray<RemotePart>): string => parts.map(partText).join("\n").trim()

const partText = (part: RemotePart): string => {
  switch (part._tag) {
    case "text":
      return part.text
    case "data":
      return JSON.stringify(part.value, null, 2)
    case "file":
      return part.uri === undefined ? `File: ${part.name}` : `File: ${[part.name, part.uri].filter(Boolean).join(" ")}`
  }
}

const NOTICES: Partial<Record<TaskState, string>> = {
  "auth-required": "[The agent needs authorisation before it can go on. Tell the user what it asks for.]",
  "input-required": "[The task is open: the agent waits for an answer. Call it again with one.]",
  failed: "[The task failed.]",
  rejected: "[The agent refused the task.]",
  canceled: "[The task was cancelled.]"
}

/** For people. */
export const answerText = (answer: RemoteAnswer): string =>
  [...saidBy(answer), ...noticeOf(answer)].filter((text) => text !== "").join("\n\n")

/** For the model: what came from the other machine is marked, and what we say of it stands outside of the mark. */
export const markedAnswer = (answer: RemoteAnswer): string => {
  const said = saidBy(answer).join("\n\n")
  return [...(said === "" ? [] : [untrusted(said)]), ...noticeOf(answer)].join("\n\n")
}

const noticeOf = ({ state }: RemoteAnswer): ReadonlyArray<string> => {
  const notice = state === undefined ? undefined : NOTICES[state]
  return notice === undefined ? [] : [notice]
}

const saidBy = ({ artifacts, lastMessage, messages, state }: RemoteAnswer): ReadonlyArray<string> => {
  const shown = [...artifacts.values()].map(
    ({ id, name, parts }) => `Artifact (${name === "" ? id : name}):\n${textOf(parts)}`
  )
  const said = [...messages, ...shown]
  return said.length === 0 && state !== undefined && isTerminal(state) && lastMessage !== "" ? [lastMessage] : said
}

/** What a remote agent says while it works, in our own words: whatever version of the protocol it came by. */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "auth-required"
  | "completed"
  | "failed"
  | "canceled"
  | "rejected"
  | "unknown"

export type RemotePart =
  | { readonly _tag: "text"; readonly text: string }
  | { readonly _tag: "data"; readonly value: unknown }
  /** By its name, or where it is to be found. */
  | { readonly _tag: "file"; readonly name: string; readonly uri?: string | undefined }

export interface RemoteArtifact {
  readonly id: string
  readonly name: string
  readonly parts: ReadonlyArray<RemotePart>
}

/** Empty texts stand for what was not said. */
interface Place {
  readonly contextId: string
  readonly taskId: string
}

export type RemoteUpdate =
  | (Place & { readonly _tag: "Message"; readonly parts: ReadonlyArray<RemotePart> })
  | (Place & { readonly _tag: "Status"; readonly state: TaskState; readonly parts: ReadonlyArray<RemotePart> })
  | (Place & { readonly _tag: "Artifact"; readonly artifact: RemoteArtifact; readonly isAppended: boolean })
  | (Place & {
      readonly _tag: "Task"
      readonly state: TaskState
      /** Of its status. */
      readonly parts: ReadonlyArray<RemotePart>
      readonly artifacts: ReadonlyArray<RemoteArtifact>
      /** The last message of the agent in its history. */
      readonly lastMessage: ReadonlyArray<RemotePart>
    })

const TERMINAL: ReadonlySet<TaskState> = new Set(["completed", "failed", "canceled", "rejected"])

const isTerminal = (state: TaskState): boolean => TERMINAL.has(state)
