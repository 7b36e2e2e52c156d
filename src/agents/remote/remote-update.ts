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

export const isTerminal = (state: TaskState): boolean => TERMINAL.has(state)
