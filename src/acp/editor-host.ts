/** What the program does for an editor beyond translating: sessions are opened, listed and deleted, people sign in. */
import type { Context, Effect, Scope } from "effect"
import type { Chat } from "../chat/chat.ts"
import type { SessionStats } from "../chat/stats/session-stats.ts"
import type { LoadedConfig } from "../config/load.ts"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { Hooks } from "../hooks/hooks.ts"
import type { McpHub } from "../mcp/mcp-hub.ts"
import type { SelectedModel } from "../model/selected-model.ts"
import type { Policy } from "../policy/policy.ts"
import type { MessageRecord } from "../session/record/session-record.ts"
import type { KnownModelServices } from "../slash/builtin/model.command.ts"
import type { CommandRegistry } from "../slash/command-registry.ts"
import type { PromptExpansion } from "../slash/prompt-expansion.ts"
import type { Person } from "../tools/from-config.ts"
import type { ToolRegistry } from "../tools/registry.ts"
import type { EditorFault } from "./editor-fault.ts"

/** What a session of an editor is made of: the same services as everywhere. */
export type SessionServices =
  | Chat
  | Policy
  | SelectedModel
  | SessionStats
  | CommandRegistry
  | PromptExpansion
  | McpHub
  | Hooks
  | ToolRegistry
  | KnownModelServices

export interface OpenRequest {
  readonly sessionId: string
  /** Go on with the recorded session of this id; otherwise a new one begins. */
  readonly isRecorded: boolean
  /** Absolute. */
  readonly cwd: string
  readonly directories: ReadonlyArray<string>
  /** Those that the editor names, by name. */
  readonly servers: Readonly<Record<string, McpServer>>
  /** Who is asked, once the settings of the folder are known. */
  readonly person: (config: LoadedConfig) => Person
}

export interface OpenedEditorSession {
  readonly config: LoadedConfig
  readonly services: Context.Context<SessionServices>
  readonly recorded: ReadonlyArray<MessageRecord>
}

export interface ListedSession {
  readonly sessionId: string
  readonly cwd: string
  readonly title: string
  readonly updatedAt: string
}

/** Credentials that an editor gives; they hold for this process and are never stored. */
export interface GivenCredentials {
  readonly apiKey: string | undefined
  readonly gateway:
    | {
        readonly baseUrl?: string | undefined
        readonly headers?: Readonly<Record<string, string>> | undefined
      }
    | undefined
}

export interface EditorHost {
  readonly version: string
  /** The session lives as long as its scope. */
  readonly open: (request: OpenRequest) => Effect.Effect<OpenedEditorSession, EditorFault, Scope.Scope>
  /** The newest first; all folders where none is named. */
  readonly list: (cwd: string | undefined) => Effect.Effect<ReadonlyArray<ListedSession>, EditorFault>
  readonly deleteSession: (sessionId: string) => Effect.Effect<void, EditorFault>
  readonly authenticate: (methodId: string, given: GivenCredentials) => Effect.Effect<void, EditorFault>
  readonly logOut: Effect.Effect<void, EditorFault>
}
