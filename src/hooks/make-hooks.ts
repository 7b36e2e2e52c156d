/** Hooks that run, one method for each event: what its programs are told, and what follows from their answers. */
import { Effect, Ref, type Scope } from "effect"
import * as Decisions from "./decisions.ts"
import { type FireOptions, isListening, type Meant, makeFire } from "./fire.ts"
import type { Hook } from "./hook.ts"
import { confirmationDetails, confirmationMessage } from "./hook-input.ts"
import type { HookedCall, HooksView } from "./hooks.ts"
import { statusesOf } from "./listing.ts"
import { type HookedRequest, toLlmRequest } from "./llm-request.ts"
import { toLlmResponse } from "./llm-response.ts"
import { withToolChoice } from "./tool-choice.ts"

export interface HooksOptions extends Omit<FireOptions, "disabled"> {
  /** Of the project, and not confirmed: shown, never run. */
  readonly pending: ReadonlyArray<Hook>
  readonly disabled: ReadonlySet<string>
}

export const makeHooks = Effect.fnUntraced(function* (
  options: HooksOptions
): Effect.fn.Return<HooksView, never, Scope.Scope> {
  const disabled = yield* Ref.make(options.disabled)
  const fire = yield* makeFire({ ...options, disabled })

  const onTool = ({ aliases, name }: HookedCall): Meant => ({
    target: { _tag: "Tool", names: [name, ...aliases] }
  })
  const onTrigger = (word: string): Meant => ({ target: { _tag: "Trigger", word } })
  const callFields = (call: HookedCall) => ({
    tool_name: call.name,
    tool_input: call.args,
    ...(call.mcpContext === undefined ? {} : { mcp_context: call.mcpContext }),
    ...(call.originalName === undefined ? {} : { original_request_name: call.originalName })
  })
  const asRequest = (request: HookedRequest) => () => ({ llm_request: toLlmRequest(request) })

  return {
    has: (event, kind) =>
      Effect.map(Ref.get(disabled), (off) =>
        isListening(options.hooks, { event, disabled: off, streams: kind?.streams })
      ),
    sessionStart: (source, tell) =>
      Effect.map(
        fire("SessionStart", onTrigger(source), () => ({ source }), tell),
        Decisions.sessionStart
      ),
    sessionEnd: (reason, tell) => Effect.asVoid(fire("SessionEnd", onTrigger(reason), () => ({ reason }), tell)),
    beforeAgent: (prompt, tell) =>
      Effect.map(
        fire("BeforeAgent", {}, () => ({ prompt }), tell),
        Decisions.agentStart
      ),
    afterAgent: ({ isRetry, prompt, response }, tell) =>
      Effect.map(
        fire("AfterAgent", {}, () => ({ prompt, prompt_response: response, stop_hook_active: isRetry }), tell),
        Decisions.agentEnd
      ),
    beforeModel: (request, tell) =>
      Effect.map(fire("BeforeModel", {}, asRequest(request), tell), (output) => Decisions.modelStart(output, request)),
    beforeToolSelection: (request, tell) =>
      Effect.map(fire("BeforeToolSelection", {}, asRequest(request), tell), ({ specific }) =>
        withToolChoice(request.config, specific?.toolConfig)
      ),
    afterModel: ({ isPiece, request, response }, tell) =>
      Effect.map(
        fire(
          "AfterModel",
          { streams: isPiece },
          () => ({ llm_request: toLlmRequest(request), llm_response: toLlmResponse(response) }),
          tell
        ),
        Decisions.modelEnd
      ),
    beforeTool: (call, tell) =>
      Effect.map(
        fire("BeforeTool", onTool(call), () => callFields(call), tell),
        (output) => Decisions.toolStart(output, call.args)
      ),
    afterTool: (call, { display, error, forModel }, tell) =>
      Effect.map(
        fire(
          "AfterTool",
          onTool(call),
          () => ({
            ...callFields(call),
            tool_response: {
              llmContent: forModel,
              returnDisplay: display,
              ...(error === undefined ? {} : { error: { message: error } })
            }
          }),
          tell
        ),
        Decisions.toolEnd
      ),
    notification: (confirmation, tell) =>
      Effect.asVoid(
        fire(
          "Notification",
          {},
          () => ({
            notification_type: "ToolPermission",
            message: confirmationMessage(confirmation),
            details: confirmationDetails(confirmation)
          }),
          tell
        )
      ),
    preCompress: (trigger, tell) => Effect.asVoid(fire("PreCompress", onTrigger(trigger), () => ({ trigger }), tell)),
    list: Effect.map(Ref.get(disabled), (off) => statusesOf(options, off)),
    setDisabled: (names) => Ref.set(disabled, names)
  }
})
