/** The hooks of a run that has some: which of them may run, and what the person is told about the others. */
import { Effect, Ref, type Scope } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { reportPending } from "../config/programs/pending-programs.ts"
import { RunFolders } from "../config/run-folders.ts"
import { Secrets } from "../config/secrets.ts"
import { variableRedaction } from "../config/variable-redaction.ts"
import { Notices } from "../protocol/notices.ts"
import { type RunFacts, TranscriptFile } from "../protocol/run-facts.ts"
import { Sandbox } from "../sandbox/sandbox.ts"
import * as Decisions from "./decisions.ts"
import { findHooks } from "./find-hooks.ts"
import { type FireOptions, isListening, type Meant, makeFire } from "./fire.ts"
import { type Hook, hookPrograms } from "./hook.ts"
import { toldFields } from "./hook-event.ts"
import { confirmationDetails, confirmationMessage } from "./hook-input.ts"
import type { HookedCall, HooksView } from "./hooks.ts"
import { statusesOf } from "./listing.ts"
import { type HookedRequest, toLlmRequest, toLlmResponse } from "./llm-exchange.ts"
import { withToolChoice } from "./tool-choice.ts"

export interface HookFacts extends Pick<RunFacts, "sessionId" | "extensions" | "acceptedPrograms" | "isInteractive"> {
  /** Somebody may see a status line: where nobody looks, it is work for nothing. */
  readonly isWatched: boolean
}

/** Hooks that run, one method for each event: what its programs are told, and what follows from their answers. */
interface HooksOptions extends Omit<FireOptions, "disabled"> {
  /** Of the project, and not confirmed: shown, never run. */
  readonly pending: ReadonlyArray<Hook>
  readonly disabled: ReadonlySet<string>
}

const makeHooks = Effect.fnUntraced(function* (options: HooksOptions): Effect.fn.Return<HooksView, never, Scope.Scope> {
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
    told: (event, why, tell) => Effect.asVoid(fire(event, onTrigger(why), () => toldFields(event, why), tell)),
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
    list: Effect.map(Ref.get(disabled), (off) => statusesOf(options, off)),
    setDisabled: (names) => Ref.set(disabled, names)
  }
})

export const startHooks = Effect.fnUntraced(function* (config: LoadedConfig, run: HookFacts) {
  const { environment, settings } = config
  const { warn } = yield* Notices
  const { plansDir } = yield* RunFolders
  const found = yield* findHooks(config, run.extensions, run.acceptedPrograms)
  yield* Effect.forEach(found.problems, (problem) => warn(`hooks: ${problem}`), { discard: true })
  yield* reportPending(hookPrograms(found), config, run)
  return yield* makeHooks({
    hooks: found.hooks,
    pending: found.pending,
    disabled: new Set(settings.get("hooksConfig.disabled")),
    announces: settings.get("hooksConfig.notifications") && run.isWatched,
    sessionId: run.sessionId,
    transcript: yield* TranscriptFile,
    cwd: environment.cwd,
    plansDir,
    variables: environment.variables,
    redaction: variableRedaction(settings),
    platform: environment.platform,
    sandbox: yield* Sandbox,
    secrets: (yield* Secrets).all
  })
})
