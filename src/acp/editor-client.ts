/** The editor on the other side, as a session uses it. Everything that it answers is somebody else's word. */
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate
} from "@agentclientprotocol/sdk"
import type { Effect } from "effect"
import type { EditorFault } from "./editor-fault.ts"

export interface EditorAbilities {
  readonly readsFiles: boolean
  readonly writesFiles: boolean
  /** It shows forms, so that the model may ask questions. */
  readonly takesForms: boolean
  readonly takes: { readonly notices: boolean; readonly compaction: boolean }
}

/** One session's line to it. */
export interface EditorClient {
  readonly sessionId: string
  readonly abilities: EditorAbilities
  /** Returns when the editor's pipe has taken it: whoever tells faster than it reads is slowed down. */
  readonly update: (update: SessionUpdate) => Effect.Effect<void>
  /** Interrupting it drops the question. */
  readonly askPermission: (
    question: Omit<RequestPermissionRequest, "sessionId">
  ) => Effect.Effect<RequestPermissionResponse, EditorFault>
  readonly askForm: (form: CreateElicitationRequest) => Effect.Effect<CreateElicitationResponse, EditorFault>
  readonly readFile: (path: string) => Effect.Effect<string, EditorFault>
  readonly writeFile: (path: string, content: string) => Effect.Effect<void, EditorFault>
}
