/**
 * Runs the tool calls of one model turn and answers each of them. A call that fails is an answer to the model; only what
 * makes going on pointless (a full disk) ends the run.
 */
import { Context, type Effect, Schema } from "effect"
import type { Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { CallId } from "../protocol/ids.ts"
import { ToolErrorType } from "../protocol/tool-error-type.ts"
import type { FunctionDeclaration } from "./declaration.ts"

export interface ToolCall {
  readonly callId: CallId
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** The answer to one call: its function response, followed by media that must stand beside it. */
export interface ToolReply {
  readonly callId: CallId
  readonly parts: ReadonlyArray<Part>
  /** Sound and film, shown to the model right after the replies. */
  readonly injected: ReadonlyArray<Part>
  /** A hook wants the work on this prompt to end with the call. */
  readonly stopReason?: string
  /** The person did not allow the call. */
  readonly isRefused?: boolean
}

export class FatalToolError extends Schema.TaggedError<FatalToolError>()("FatalToolError", {
  tool: Schema.String,
  type: ToolErrorType,
  detail: Schema.String
}) {
  override get message() {
    return `${this.tool}: ${this.detail}`
  }
}

export class ToolScheduler extends Context.Tag("agent/tools/ToolScheduler")<
  ToolScheduler,
  {
    /** Tools that are not offered because every use would be refused. */
    readonly hidden: Effect.Effect<ReadonlyArray<string>>
    readonly declarations: (model: string) => Effect.Effect<ReadonlyArray<FunctionDeclaration>>
    /** One reply for each call, in the order of the calls. `onReply` hears of each at once: the run may be cut short. */
    readonly run: (
      calls: ReadonlyArray<ToolCall>,
      emit: (event: ProtocolEvent) => Effect.Effect<void>,
      onReply?: (reply: ToolReply) => void
    ) => Effect.Effect<ReadonlyArray<ToolReply>, FatalToolError>
  }
>() {}
