/** What the program does for a caller over A2A: it opens the conversation of a task, with the services of every run. */
import type { Context, Effect, Scope } from "effect"
import { Schema } from "effect"
import type { Chat } from "../../chat/chat.ts"
import type { McpHub } from "../../mcp/mcp-hub.ts"
import type { SelectedModel } from "../../model/selected-model.ts"
import type { Policy } from "../../policy/policy.ts"
import type { CommandRegistry } from "../../slash/command-registry.ts"
import type { Person } from "../../tools/from-config.ts"
import type { ToolScheduler } from "../../tools/tool-scheduler.ts"

export type TaskServices = Chat | CommandRegistry | McpHub | Policy | SelectedModel | ToolScheduler

/** Why a task has no conversation, in words for people. */
export class TaskFault extends Schema.TaggedError<TaskFault>()("TaskFault", { message: Schema.String }) {}

export interface TaskRequest {
  /** Its conversation is recorded under the same id. */
  readonly taskId: string
  /** It may have been talked about before, also in another life of the server. */
  readonly isKnown: boolean
  /** As the caller wrote it; where the server works, if nothing is said. */
  readonly folder: string | undefined
  /** Nothing is asked. */
  readonly executesAll: boolean
  readonly person: Person
}

export interface OpenedTask {
  readonly services: Context.Context<TaskServices>
  readonly folder: string
}

export interface TaskHost {
  readonly version: string
  /** Lives as long as its scope. */
  readonly open: (request: TaskRequest) => Effect.Effect<OpenedTask, TaskFault, Scope.Scope>
}
