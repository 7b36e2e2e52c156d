/**
 * Runs the tool calls of one model turn and answers each of them. A call that fails is an answer to the model; only what
 * makes going on pointless (a full disk) ends the run.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Part } from "../protocol/content.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { CallId } from "../protocol/ids.ts"
import { ToolErrorType } from "../protocol/tool-error-type.ts"

export interface ToolCall {
  readonly callId: CallId
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** The answer to one call: its function response, followed by media that must stand beside it. */
export interface ToolReply {
  readonly callId: CallId
  readonly parts: ReadonlyArray<Part>
}

export interface FunctionDeclaration {
  readonly name: string
  readonly description: string
  readonly parametersJsonSchema: Readonly<Record<string, unknown>>
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
    readonly declarations: (model: string) => Effect.Effect<ReadonlyArray<FunctionDeclaration>>
    /** One reply for each call, in the order of the calls. */
    readonly run: (
      calls: ReadonlyArray<ToolCall>,
      emit: (event: ProtocolEvent) => Effect.Effect<void>
    ) => Effect.Effect<ReadonlyArray<ToolReply>, FatalToolError>
  }
>() {}

/** Nothing is offered; a call that comes all the same is told so, and the conversation goes on. */
export const layerNone = Layer.succeed(ToolScheduler, {
  declarations: () => Effect.succeed([]),
  run: (calls, emit) =>
    Effect.forEach(calls, (call) => {
      const message = `Tool "${call.name}" not found. No tools are available.`
      return Effect.as(
        emit({
          _tag: "ToolFinished",
          callId: call.callId,
          name: call.name,
          status: "error",
          output: message,
          error: { type: "tool_not_registered", message },
          durationMs: 0
        }),
        {
          callId: call.callId,
          parts: [{ functionResponse: { id: call.callId, name: call.name, response: { error: message } } }]
        }
      )
    })
})
