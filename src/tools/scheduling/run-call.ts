/**
 * One tool call from request to answer: find the tool, check the arguments, ask the policy, ask a person where the
 * policy says so, run. Every way out is an answer to the model; nothing here fails.
 */
import { Clock, Effect } from "effect"
import type { Approval } from "../../approval/approval.ts"
import type { Decision, PolicyCall } from "../../policy/decision.ts"
import { denialText } from "../../policy/denial-text.ts"
import { Policy } from "../../policy/policy.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { ChangeJournal } from "../../session/undo/change-journal.ts"
import { measured } from "../../telemetry/telemetry.ts"
import { ToolRegistry } from "../registry.ts"
import { type PreparedCall, type Tool, ToolFailure, type ToolOutput, withoutCallOptions } from "../tool.ts"
import type { ToolCall } from "../tool-scheduler.ts"
import { type Answered, askPerson } from "./ask-person.ts"
import { changingCall } from "./changing-call.ts"

export type CallDecision = NonNullable<EventOf<"ToolFinished">["decision"]>

/** How a call ended. `name` is the tool that ran: after a tail call, not the one that was asked for. */
export interface CallResult {
  readonly call: ToolCall
  readonly name: string
  readonly durationMs: number
  readonly end:
    | { readonly _tag: "Done"; readonly output: ToolOutput }
    | { readonly _tag: "Failed"; readonly failure: ToolFailure }
    | { readonly _tag: "Refused"; readonly reason: string }
  readonly decision: CallDecision | undefined
  /** Absolute paths that the call worked on; empty where it did not succeed. */
  readonly touched: ReadonlyArray<string>
  /** The policy refused, or hid the tool. */
  readonly denial: Decision | undefined
  /** For people: the tool, and what the call was to do. Absent where the call was not understood. */
  readonly label?: { readonly displayName: string; readonly description: string; readonly server?: string | undefined }
  /** Of the call that really ran; absent where none did. */
  readonly args?: ToolCall["args"]
}

export type Emit = (event: ProtocolEvent) => Effect.Effect<void>

export interface CallSurroundings {
  readonly emit: Emit
  /** One question at a time: the answer to one may settle the next. */
  readonly asking: Effect.Semaphore
}

/** A tool may hand over to another one; a chain of them ends here. */
const MAX_TAIL_CALLS = 5

export const runCall = Effect.fn("tool_call")(function* (call: ToolCall, around: CallSurroundings) {
  yield* Effect.annotateCurrentSpan({
    "gen_ai.operation.name": "tool_call",
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.call_id": call.callId,
    "gen_ai.input.messages": () => call.args
  })
  const startedAt = yield* Clock.currentTimeMillis
  let result = yield* attempt(call, around)
  for (let depth = 0; result.end._tag === "Done" && result.end.output.tailCall !== undefined; depth++) {
    const { tailCall } = result.end.output
    result =
      depth < MAX_TAIL_CALLS
        ? yield* attempt({ ...call, ...tailCall }, around)
        : { ...result, end: failed("execution_failed", `More than ${MAX_TAIL_CALLS} calls were chained.`) }
  }
  const durationMs = (yield* Clock.currentTimeMillis) - startedAt
  const { end } = result
  yield* Effect.annotateCurrentSpan("gen_ai.output.messages", () => (end._tag === "Done" ? end.output.forModel : end))
  return { ...result, call, durationMs } satisfies CallResult
})

type Attempt = Omit<CallResult, "call" | "durationMs">

const attempt = (call: ToolCall, around: CallSurroundings) =>
  Effect.gen(function* () {
    const registry = yield* ToolRegistry
    const found = yield* Effect.either(registry.find(call.name))
    if (found._tag === "Left") return yield* notFound(call, found.left)

    const tool = found.right
    yield* Effect.annotateCurrentSpan("gen_ai.tool.description", tool.description)
    const verdict = yield* judge(tool, call, around)
    const { displayName, server } = tool
    const label = { displayName, server, description: verdict.prepared.description }
    switch (verdict._tag) {
      case "Run":
        return { ...(yield* execute(verdict, around.emit)), label }
      case "Denied":
        return { ...denied(tool, verdict.decision), label }
      case "Refused":
        return { ...refused(tool.name, verdict.reason), label }
    }
  }).pipe(
    Effect.catchTag("ToolFailure", (failure) => Effect.succeed(attemptFailed(call.name, failure))),
    // A fault in one tool must not take the run with it; the model is told, and the log has the rest.
    Effect.catchAllDefect((defect) =>
      Effect.as(
        Effect.logError("a tool failed unexpectedly", defect),
        attemptFailed(call.name, new ToolFailure({ type: "unhandled_exception", message: messageOf(defect) }))
      )
    )
  )

/** A call with its arguments checked: nothing has happened yet. */
export interface Ready {
  readonly tool: Tool
  readonly call: ToolCall
  readonly prepared: PreparedCall
}

/** Ready to run: somebody or some rule agreed. */
interface Agreed extends Ready {
  readonly _tag: "Run"
  readonly decision: CallDecision
  readonly wasAsked: boolean
}

type JudgedOnce = Answered | { readonly _tag: "Denied"; readonly decision: Decision }

type Judgement =
  | Agreed
  | (Extract<JudgedOnce, { readonly _tag: "Denied" | "Refused" }> & { readonly prepared: PreparedCall })

/** What a person changed is judged anew: their text may be something that no rule allows. */
const judge: (
  tool: Tool,
  asked: ToolCall,
  around: CallSurroundings
) => Effect.Effect<Judgement, ToolFailure, Policy | Approval> = Effect.fnUntraced(function* (tool, asked, around) {
  let call = asked
  let isModified = false
  let isSettled = false
  while (true) {
    const ready: Ready = { tool, call, prepared: yield* tool.prepare(call.args).pipe(phase(tool.name, "validation")) }
    const answer: JudgedOnce = yield* judgeOnce(ready, { isSettled, around })
    if (answer._tag === "Run")
      return { ...answer, ...ready, decision: isModified ? "modify" : answer.decision } as const
    if (answer._tag !== "Revised") return { ...answer, prepared: ready.prepared }
    call = { ...call, args: answer.args }
    isModified = true
    isSettled = answer.isSettled
  }
})

const judgeOnce = Effect.fnUntraced(function* (
  ready: Ready,
  { around, isSettled }: { readonly isSettled: boolean; readonly around: CallSurroundings }
) {
  const policy = yield* Policy
  const ground = Effect.all([policy.rules, policy.mode])
  const [rules, mode] = yield* ground
  const decision = yield* policy.decide(policyCall(ready.tool, ready.call)).pipe(phase(ready.tool.name, "preparation"))
  if (decision.verdict === "deny") return { _tag: "Denied", decision } as const
  if (decision.verdict === "allow" || isSettled)
    return { _tag: "Run", decision: "accept", wasAsked: isSettled } as const
  return yield* around.asking.withPermits(1)(
    Effect.gen(function* () {
      // While this call waited for its turn, an answer to another one may have settled it.
      const [latestRules, latestMode] = yield* ground
      if (latestRules === rules && latestMode === mode) return yield* askPerson(ready, decision, around.emit)
      const latest = yield* policy.decide(policyCall(ready.tool, ready.call))
      if (latest.verdict === "deny") return { _tag: "Denied", decision: latest } as const
      if (latest.verdict === "allow") return { _tag: "Run", decision: "auto_accept", wasAsked: false } as const
      return yield* askPerson(ready, latest, around.emit)
    })
  )
})

/** A tool that is only hidden was refused: the refusal is recorded with what would allow it. */
const notFound = Effect.fnUntraced(function* (call: ToolCall, failure: ToolFailure) {
  const registry = yield* ToolRegistry
  const policy = yield* Policy
  const hidden = (yield* registry.all).find((tool) => tool.name === call.name || tool.aliases.includes(call.name))
  const decision = hidden === undefined ? undefined : yield* policy.decide(policyCall(hidden, call))
  return { ...attemptFailed(call.name, failure), denial: decision?.verdict === "allow" ? undefined : decision }
})

const execute = Effect.fnUntraced(function* (agreed: Agreed, emit: Emit) {
  const { call, decision, prepared, tool, wasAsked } = agreed
  yield* emit({
    _tag: "ToolStarted",
    callId: call.callId,
    name: tool.name,
    title: tool.displayName,
    description: prepared.description,
    wasAsked
  })
  const progress = (output: string) => emit({ _tag: "ToolProgress", callId: call.callId, output })
  const running = recorded(agreed, emit, prepared.run({ callId: call.callId, progress }))
  const result = yield* Effect.either(running.pipe(phase(tool.name, "execution")))
  const common = { name: tool.name, decision, denial: undefined, args: call.args }
  if (result._tag === "Left") {
    return { ...common, end: { _tag: "Failed", failure: result.left }, touched: [] } satisfies Attempt
  }
  const touched = result.right.shown ?? prepared.locations.map(({ path }) => path)
  return { ...common, end: { _tag: "Done", output: result.right }, touched } satisfies Attempt
})

/** What may change files is recorded on the way, so that it can be taken back. */
const recorded = <A, E>({ call, prepared, tool }: Ready, emit: Emit, run: Effect.Effect<A, E>) => {
  const changing = changingCall(tool, call, prepared)
  if (changing === undefined) return run
  const tell = (message: string) => emit({ _tag: "Notice", severity: "warning", message })
  return Effect.flatMap(ChangeJournal, (journal) => journal.record({ call: changing, tell }, run))
}

/** How long the parts of calls take. Waiting for a person is none of them. */
export const phase = (
  tool: string,
  name: "validation" | "preparation" | "execution" | "result_processing"
): (<A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) =>
  measured("gemini_cli.tool.execution.breakdown", { function_name: tool, phase: name })

const policyCall = (tool: Tool, { args }: ToolCall): PolicyCall => ({
  name: tool.name,
  args: withoutCallOptions(args),
  aliases: tool.aliases,
  kind: tool.kind,
  ...(tool.server === undefined ? {} : { server: tool.server }),
  ...(tool.annotations === undefined ? {} : { annotations: tool.annotations })
})

const denied = (tool: Tool, decision: Decision): Attempt => {
  const message = `Tool execution denied by policy. ${denialText(decision)}`
  return { ...attemptFailed(tool.name, new ToolFailure({ type: "policy_violation", message })), denial: decision }
}

const refused = (name: string, reason: string | undefined): Attempt => ({
  name,
  end: { _tag: "Refused", reason: reason ?? "the user declined" },
  decision: "reject",
  touched: [],
  denial: undefined
})

const attemptFailed = (name: string, failure: ToolFailure): Attempt => ({
  name,
  end: { _tag: "Failed", failure },
  decision: undefined,
  touched: [],
  denial: undefined
})

const failed = (type: ToolFailure["type"], message: string): CallResult["end"] => ({
  _tag: "Failed",
  failure: new ToolFailure({ type, message })
})

const messageOf = (defect: unknown): string => (defect instanceof Error ? defect.message : String(defect))
