/**
 * Hooks that run: every event takes the same way. Plan, run each program, read how it ended, tell the person, join the
 * answers. Loaded only where some hook is configured.
 */
import { DateTime, Effect, Ref, type Scope } from "effect"
import { redactionOf, type Secret } from "../kernel/redact-secrets.ts"
import type { SessionId } from "../protocol/ids.ts"
import { endMarked } from "../shell/end-tree.ts"
import type { RedactionRules } from "../shell/environment-redaction.ts"
import { record } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { aggregate } from "./aggregate.ts"
import { commandText } from "./command-text.ts"
import * as Decisions from "./decisions.ts"
import { type Hook, nameOf, shownName } from "./hook.ts"
import { hookEnvironment, placesOf } from "./hook-environment.ts"
import { ANY, type HookEvent, type MatchTarget } from "./hook-event.ts"
import { afterOutput, confirmationDetails, confirmationMessage, type HookInput } from "./hook-input.ts"
import { signalsOfHook } from "./hook-signals.ts"
import type { HookedCall, HooksView, Tell } from "./hooks.ts"
import { type HookedRequest, toLlmRequest } from "./llm-request.ts"
import { toLlmResponse } from "./llm-response.ts"
import type { HookOutput } from "./output.ts"
import { planHooks } from "./plan.ts"
import { type HookResult, resultOf } from "./result.ts"
import { runHook } from "./run-hook.ts"
import { type ServerConfigs, serverContext } from "./server-context.ts"
import { withToolChoice } from "./tool-choice.ts"

export interface HooksOptions {
  readonly hooks: ReadonlyArray<Hook>
  /** Of the project, and not confirmed: shown, never run. */
  readonly pending: ReadonlyArray<Hook>
  readonly disabled: ReadonlySet<string>
  /** Tell which hook runs, for a status line. */
  readonly announces: boolean
  readonly sessionId: SessionId
  /** The file of the session; absent where there is none yet. */
  readonly transcript: Effect.Effect<string | undefined>
  readonly cwd: string
  readonly plansDir: string
  readonly variables: Readonly<Record<string, string>>
  readonly redaction: RedactionRules
  readonly platform: NodeJS.Platform
  readonly servers: ServerConfigs
  /** Credentials that no program gets to read; asked for at the first hook. */
  readonly secrets: Effect.Effect<ReadonlyArray<Secret>>
}

const MAX_PARALLEL = 16
const LEFTOVER_GRACE = "1 second"

export const make = Effect.fnUntraced(function* (
  options: HooksOptions
): Effect.fn.Return<HooksView, never, Scope.Scope> {
  const telemetry = yield* Telemetry
  const disabled = yield* Ref.make(options.disabled)
  const clean = yield* Effect.cached(Effect.map(options.secrets, redactionOf))
  const mark = `hooks-${options.sessionId}-${crypto.randomUUID()}`
  const hasRun = yield* Ref.make(false)
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Ref.get(hasRun), (ran) => (ran ? endMarked(mark, LEFTOVER_GRACE) : Effect.void))
  )

  const runOne = Effect.fnUntraced(function* (hook: Hook, input: HookInput) {
    const document = (yield* clean)(JSON.stringify(input))
    yield* Ref.set(hasRun, true)
    const run = yield* runHook({
      command: commandText(hook.command, placesOf(options)),
      input: document,
      cwd: options.cwd,
      env: hookEnvironment(hook, options),
      platform: options.platform,
      timeoutMs: hook.timeoutMs,
      mark
    })
    const result = resultOf(run.end, hook)
    if (telemetry.level !== undefined) {
      const { logPrompts } = telemetry.level
      yield* record(telemetry, signalsOfHook({ hook, input: document, run, result, logPrompts }))
    }
    return { hook, result } satisfies Ran
  })

  const told = Effect.fnUntraced(function* (
    hook: Hook,
    place: { readonly index: number; readonly total: number },
    input: HookInput,
    tell: Tell
  ) {
    const name = shownName(hook)
    if (!options.announces) return yield* runOne(hook, input)
    yield* tell({ _tag: "HookStarted", name, event: hook.event, source: hook.source.scope, ...place })
    const ran = yield* runOne(hook, input)
    yield* tell({ _tag: "HookFinished", name, event: hook.event, success: ran.result.succeeded })
    return ran
  })

  const planFor = (event: HookEvent, target: MatchTarget, streams?: boolean) =>
    Effect.map(Ref.get(disabled), (off) =>
      planHooks(options.hooks, { event, target, disabled: off, ...(streams === undefined ? {} : { streams }) })
    )

  const fire = Effect.fn("Hooks.fire")(function* (
    event: HookEvent,
    { streams, target = ANY }: { readonly target?: MatchTarget; readonly streams?: boolean },
    fields: () => Readonly<Record<string, unknown>>,
    tell: Tell
  ): Effect.fn.Return<HookOutput> {
    const plan = yield* planFor(event, target, streams)
    if (plan.hooks.length === 0) return {}
    let input: HookInput = {
      session_id: options.sessionId,
      transcript_path: (yield* options.transcript) ?? "",
      cwd: options.cwd,
      hook_event_name: event,
      timestamp: DateTime.formatIso(yield* DateTime.now),
      ...fields()
    }
    const total = plan.hooks.length
    const run = (hook: Hook, index: number) => told(hook, { index: index + 1, total }, input, tell)
    const ran: Array<Ran> = []
    if (plan.isSequential) {
      for (const [index, hook] of plan.hooks.entries()) {
        const one = yield* run(hook, index)
        ran.push(one)
        if (one.result.succeeded) input = afterOutput(input, one.result.output ?? {})
      }
    } else ran.push(...(yield* Effect.forEach(plan.hooks, run, { concurrency: MAX_PARALLEL })))
    yield* report(event, ran, tell)
    return aggregate(
      event,
      ran.flatMap(({ result }) => result.output ?? [])
    )
  })

  const onTool = ({ aliases, name }: HookedCall): { readonly target: MatchTarget } => ({
    target: { _tag: "Tool", names: [name, ...aliases] }
  })
  const onTrigger = (word: string): { readonly target: MatchTarget } => ({ target: { _tag: "Trigger", word } })
  const callFields = (call: HookedCall) => ({
    tool_name: call.name,
    tool_input: call.args,
    ...serverContext(call, options.servers),
    ...(call.originalName === undefined ? {} : { original_request_name: call.originalName })
  })
  const asRequest = (request: HookedRequest) => () => ({ llm_request: toLlmRequest(request) })

  return {
    has: (event, kind) =>
      Effect.map(Ref.get(disabled), (off) =>
        options.hooks.some(
          (hook) =>
            hook.event === event && !off.has(nameOf(hook)) && (kind === undefined || hook.streams === kind.streams)
        )
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
    list: Effect.map(Ref.get(disabled), (off) => [
      ...options.hooks.map((hook) => ({ hook, isEnabled: !off.has(nameOf(hook)), isPending: false })),
      ...options.pending.map((hook) => ({ hook, isEnabled: !off.has(nameOf(hook)), isPending: true }))
    ]),
    setDisabled: (names) => Ref.set(disabled, names)
  }
})

interface Ran {
  readonly hook: Hook
  readonly result: HookResult
}

/** Each message under the name of its hook; all failures of the event in one warning. */
const report = Effect.fnUntraced(function* (event: HookEvent, ran: ReadonlyArray<Ran>, tell: Tell) {
  for (const { hook, result } of ran) {
    const { suppressOutput, systemMessage } = result.output ?? {}
    if (systemMessage === undefined || systemMessage.trim() === "" || suppressOutput === true) continue
    yield* tell({ _tag: "Notice", severity: "info", message: underName(hook, systemMessage) })
  }
  const troubles = ran.flatMap(({ hook, result: { trouble } }) =>
    trouble === undefined ? [] : [`${shownName(hook)}: ${shortened(trouble)}`]
  )
  if (troubles.length === 0) return
  const what = troubles.length === 1 ? "hook" : "hooks"
  yield* tell({ _tag: "Notice", severity: "warning", message: `${event} ${what} failed: ${troubles.join("; ")}` })
})

const MAX_MESSAGE_CHARS = 4_000

const shortened = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.length > MAX_MESSAGE_CHARS ? `${trimmed.slice(0, MAX_MESSAGE_CHARS)}... (cut)` : trimmed
}

const underName = (hook: Hook, message: string): string =>
  shortened(message)
    .split("\n")
    .map((line) => `${shownName(hook)}: ${line}`)
    .join("\n")
