/** Updates of the SDK in our own words. */
import { type Message, type Part, Role, TaskState as SdkState, type StreamResponse, type Task } from "@a2a-js/sdk"
import type { RemoteArtifact, RemotePart, RemoteUpdate, TaskState } from "./remote-update.ts"

/** `undefined`: it says nothing that we know. */
export const updateOf = ({ payload }: StreamResponse): RemoteUpdate | undefined => {
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
