/**
 * What every event does: plan, run each program, tell the person, join the answers. Side by side, or one after another
 * where one hook asks for it, each seeing what the one before changed.
 */
import { basename } from "node:path"
import { DateTime, Effect, Predicate, Ref, type Scope } from "effect"
import { count, log, measure, record, type Signal } from "../telemetry/signal.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { type Hook, nameOf, shownName } from "./hook.ts"
import { ANY, type HookEvent, isToldEvent, type MatchTarget } from "./hook-event.ts"
import { afterOutput, type HookInput } from "./hook-input.ts"
import { makeRunner, type Ran, type RunnerOptions } from "./hook-runner.ts"
import type { Tell } from "./hooks.ts"
import { planHooks } from "./matching.ts"
import type { HookDecision, HookEnd, HookOutput, HookResult } from "./result.ts"
import type { HookRun } from "./run-hook.ts"

export interface FireOptions extends RunnerOptions {
  readonly hooks: ReadonlyArray<Hook>
  readonly disabled: Ref.Ref<ReadonlySet<string>>
  /** Tell which hook runs, for a status line. */
  readonly announces: boolean
  /** The file of the session; absent where there is none yet. */
  readonly transcript: Effect.Effect<string | undefined>
}

/** Which hooks of an event are meant; all where nothing is said. */
export interface Meant {
  readonly target?: MatchTarget
  readonly streams?: boolean
}

export type Fire = (
  event: HookEvent,
  meant: Meant,
  /** What this event tells beside what all tell; computed only where somebody listens. */
  fields: () => Readonly<Record<string, unknown>>,
  tell: Tell
) => Effect.Effect<HookOutput>

const MAX_PARALLEL = 16

// What a person is told after the hooks of an event ran.

/** Each message under the name of its hook; all failures of the event in one warning. */
const report = Effect.fnUntraced(function* (
  event: HookEvent,
  ran: ReadonlyArray<Pick<Ran, "hook" | "result">>,
  tell: Tell
) {
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
  const trimmed = text.replace(/[^\P{Cc}\n\t]+/gu, " ").trim()
  return trimmed.length > MAX_MESSAGE_CHARS ? `${trimmed.slice(0, MAX_MESSAGE_CHARS)}... (cut)` : trimmed
}

const underName = (hook: Hook, message: string): string =>
  shortened(message)
    .split("\n")
    .map((line) => `${shownName(hook)}: ${line}`)
    .join("\n")

/** A hook that ran, as telemetry. */
interface HookFacts {
  readonly hook: Hook
  /** The JSON document that it read. */
  readonly input: string
  readonly run: HookRun
  readonly result: HookResult
  readonly logPrompts: boolean
}

const signalsOfHook = ({ hook, input, logPrompts, result, run }: HookFacts): ReadonlyArray<Signal> => {
  const common = {
    hook_event_name: hook.event,
    hook_name: logPrompts ? nameOf(hook) : bareName(hook),
    success: result.succeeded
  }
  const written = result.output?.suppressOutput === true ? {} : writtenOf(run.end)
  return [
    log("gemini_cli.hook_call", `Hook call ${common.hook_name}. Success: ${result.succeeded}.`, {
      ...common,
      hook_type: "command",
      duration_ms: run.durationMs,
      exit_code: run.end._tag === "Exited" ? run.end.code : undefined,
      hook_input: input,
      hook_output: JSON.stringify(result.output ?? {}),
      ...written,
      error: result.trouble
    }),
    ...count("gemini_cli.hook_call.count", common),
    measure("gemini_cli.hook_call.latency", run.durationMs, common)
  ]
}

const writtenOf = (end: HookEnd) => ("stdout" in end ? { stdout: end.stdout, stderr: end.stderr } : {})

/** The program alone: paths and arguments may tell of the person. */
const bareName = ({ command, name }: Hook): string => {
  const [first = ""] = (name ?? command).trim().split(/\s+/)
  return basename(first) || "unknown-command"
}

export const makeFire = Effect.fnUntraced(function* (options: FireOptions): Effect.fn.Return<Fire, never, Scope.Scope> {
  const telemetry = yield* Telemetry
  const runner = yield* makeRunner(options)

  const recorded = Effect.fnUntraced(function* (hook: Hook, input: HookInput) {
    const ran = yield* runner(hook, input)
    if (telemetry.level !== undefined) {
      yield* record(telemetry, signalsOfHook({ ...ran, logPrompts: telemetry.level.logPrompts }))
    }
    return ran
  })

  const announced = Effect.fnUntraced(function* (
    hook: Hook,
    place: { readonly index: number; readonly total: number },
    input: HookInput,
    tell: Tell
  ) {
    if (!options.announces) return yield* recorded(hook, input)
    const { event } = hook
    const name = shownName(hook)
    yield* tell({ _tag: "HookStarted", name, event, source: hook.source.scope, ...place })
    const ran = yield* recorded(hook, input)
    yield* tell({ _tag: "HookFinished", name, event, success: ran.result.succeeded })
    return ran
  })

  return Effect.fn("Hooks.fire")(function* (event, { streams, target = ANY }, fields, tell) {
    const disabled = yield* Ref.get(options.disabled)
    const request = { event, target, disabled, ...(streams === undefined ? {} : { streams }) }
    const { hooks, isSequential } = planHooks(options.hooks, request)
    if (hooks.length === 0) return {}
    let input: HookInput = {
      session_id: options.sessionId,
      transcript_path: (yield* options.transcript) ?? "",
      cwd: options.cwd,
      hook_event_name: event,
      timestamp: DateTime.formatIso(yield* DateTime.now),
      ...fields()
    }
    const run = (hook: Hook, index: number) => announced(hook, { index: index + 1, total: hooks.length }, input, tell)
    const ran: Array<Ran> = []
    // One alone needs no fiber of its own, which would take half as long as its program.
    if (isSequential || hooks.length === 1) {
      for (const [index, hook] of hooks.entries()) {
        const one = yield* run(hook, index)
        ran.push(one)
        if (one.result.succeeded) input = afterOutput(input, one.result.output ?? {})
      }
    } else ran.push(...(yield* Effect.forEach(hooks, run, { concurrency: MAX_PARALLEL })))
    yield* report(event, ran, tell)
    return aggregate(
      event,
      ran.flatMap(({ result }) => result.output ?? [])
    )
  })
})

export const isListening = (
  hooks: ReadonlyArray<Hook>,
  {
    disabled,
    event,
    streams
  }: { readonly event: HookEvent; readonly disabled: ReadonlySet<string>; readonly streams?: boolean | undefined }
): boolean =>
  hooks.some(
    (hook) => hook.event === event && !disabled.has(nameOf(hook)) && (streams === undefined || hook.streams === streams)
  )

/**
 * The answers of several hooks as one. "Later" is the order of the plan, whoever ended first; and a refusal wins over
 * every permission, wherever it stands.
 */
export const aggregate = (event: HookEvent, outputs: ReadonlyArray<HookOutput>): HookOutput => {
  if (isToldEvent(event)) return laid(outputs)
  switch (event) {
    case "BeforeTool":
    case "AfterTool":
    case "BeforeAgent":
    case "AfterAgent":
    case "SessionStart":
      return { ...joinedTexts(outputs), ...verdictOf(outputs), ...specificOf(outputs) }
    case "BeforeModel":
    case "AfterModel":
      return { ...laid(outputs), ...verdictOf(outputs), ...specificOf(outputs) }
    case "BeforeToolSelection":
      return selectionOf(outputs)
    case "Notification":
      return laid(outputs)
  }
}

/** Later fields lie over earlier ones. */
const laid = (outputs: ReadonlyArray<HookOutput>): HookOutput => Object.assign({}, ...outputs)

const joinedTexts = (outputs: ReadonlyArray<HookOutput>): HookOutput => {
  const systemMessage = lines(outputs.map((output) => output.systemMessage))
  return {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(outputs.some(({ suppressOutput }) => suppressOutput === true) ? { suppressOutput: true } : {})
  }
}

/** Stopping and deciding, each with the reasons of those who wanted it. */
const verdictOf = (outputs: ReadonlyArray<HookOutput>): HookOutput => {
  const stopping = outputs.filter((output) => output.continue === false)
  const decision = strictest(outputs)
  const agreeing = decision === undefined ? outputs : outputs.filter((output) => output.decision === decision)
  const stopReason = lines(stopping.map((output) => output.stopReason ?? output.reason))
  const reason = lines(agreeing.map((output) => output.reason))
  return {
    ...(stopping.length === 0 ? {} : { continue: false }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason })
  }
}

const STRICTNESS: ReadonlyArray<HookDecision> = ["deny", "ask", "allow"]

const strictest = (outputs: ReadonlyArray<HookOutput>): HookDecision | undefined =>
  STRICTNESS.find((decision) => outputs.some((output) => output.decision === decision))

/** Contexts are joined, clearing needs one voice, changes lie over each other; of the rest the later counts. */
const specificOf = (outputs: ReadonlyArray<HookOutput>): Pick<HookOutput, "specific"> => {
  const all = outputs.flatMap(({ specific }) => (specific === undefined ? [] : [specific]))
  if (all.length === 0) return {}
  const context = lines(all.map(({ additionalContext }) => textOf(additionalContext)))
  const changes = ["tool_input", "llm_request"].flatMap((name) => {
    const given = all.map((one) => one[name]).filter(Predicate.isReadonlyRecord)
    return given.length === 0 ? [] : [[name, Object.assign({}, ...given)] as const]
  })
  return {
    specific: {
      ...Object.assign({}, ...all),
      ...Object.fromEntries(changes),
      ...(context === undefined ? {} : { additionalContext: context }),
      ...(all.some(({ clearContext }) => clearContext === true) ? { clearContext: true } : {})
    }
  }
}

type Mode = "NONE" | "ANY" | "AUTO"

/** Who says nothing about tools leaves the request alone. */
const selectionOf = (outputs: ReadonlyArray<HookOutput>): HookOutput => {
  const wishes = outputs.flatMap(({ specific }) =>
    Predicate.isReadonlyRecord(specific?.toolConfig) ? [specific.toolConfig] : []
  )
  if (wishes.length === 0) return {}
  const has = (mode: Mode) => wishes.some((wish) => wish.mode === mode)
  if (has("NONE")) return { specific: { toolConfig: { mode: "NONE", allowedFunctionNames: [] } } }
  const names = wishes.flatMap(({ allowedFunctionNames: list }) => (Array.isArray(list) ? list : []))
  const allowedFunctionNames = [...new Set(names.filter(Predicate.isString))].sort()
  return { specific: { toolConfig: { mode: has("ANY") ? "ANY" : "AUTO", allowedFunctionNames } } }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const lines = (texts: ReadonlyArray<string | undefined>): string | undefined => {
  const said = texts.filter((text) => text !== undefined && text !== "")
  return said.length === 0 ? undefined : said.join("\n")
}
