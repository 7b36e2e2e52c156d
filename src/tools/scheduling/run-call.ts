/**
 * One tool call from request to answer: find the tool, check the arguments, ask the policy, ask a person where the
 * policy says so, run. Every way out is an answer to the model; nothing here fails.
 */
import { Clock, Effect } from "effect"
import { Approval } from "../../approval/approval.ts"
import type { Decision, PolicyCall } from "../../policy/decision.ts"
import { Policy } from "../../policy/policy.ts"
import type { Confirmation } from "../../protocol/confirmation.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { ChangeJournal } from "../../session/undo/change-journal.ts"
import { ToolRegistry } from "../registry.ts"
import { type PreparedCall, type Tool, ToolFailure, type ToolOutput, withoutCallOptions } from "../tool.ts"
import type { ToolCall } from "../tool-scheduler.ts"
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
  /** The policy refused, or hid the tool. */
  readonly denial: Decision | undefined
  /** For people: the tool, and what the call was to do. Absent where the call was not understood. */
  readonly label?: { readonly displayName: string; readonly description: string }
}

export type Emit = (event: ProtocolEvent) => Effect.Effect<void>

/** A tool may hand over to another one; a chain of them ends here. */
const MAX_TAIL_CALLS = 5

export const runCall = Effect.fn("ToolScheduler.runCall")(function* (call: ToolCall, emit: Emit) {
  const startedAt = yield* Clock.currentTimeMillis
  let result = yield* attempt(call, emit)
  for (let depth = 0; result.end._tag === "Done" && result.end.output.tailCall !== undefined; depth++) {
    const { tailCall } = result.end.output
    result =
      depth < MAX_TAIL_CALLS
        ? yield* attempt({ ...call, ...tailCall }, emit)
        : { ...result, end: failed("execution_failed", `More than ${MAX_TAIL_CALLS} calls were chained.`) }
  }
  const durationMs = (yield* Clock.currentTimeMillis) - startedAt
  return { ...result, call, durationMs } satisfies CallResult
})

type Attempt = Omit<CallResult, "call" | "durationMs">

const attempt = (call: ToolCall, emit: Emit) =>
  Effect.gen(function* () {
    const registry = yield* ToolRegistry
    const policy = yield* Policy
    const found = yield* Effect.either(registry.find(call.name))
    if (found._tag === "Left") return yield* notFound(call, found.left)

    const tool = found.right
    const prepared = yield* tool.prepare(call.args)
    const decision = yield* policy.decide(policyCall(tool, call))
    const label = { displayName: tool.displayName, description: prepared.description }
    if (decision.verdict === "deny") return { ...denied(tool, decision), label }
    const ended =
      decision.verdict === "allow"
        ? yield* execute({ tool, call, prepared, decision: "accept" }, emit)
        : yield* askThenExecute({ tool, call, prepared }, decision, emit)
    return { ...ended, label }
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

/** A tool that is only hidden was refused: the refusal is recorded with what would allow it. */
const notFound = Effect.fnUntraced(function* (call: ToolCall, failure: ToolFailure) {
  const registry = yield* ToolRegistry
  const policy = yield* Policy
  const hidden = (yield* registry.all).find((tool) => tool.name === call.name || tool.aliases.includes(call.name))
  const decision = hidden === undefined ? undefined : yield* policy.decide(policyCall(hidden, call))
  return { ...attemptFailed(call.name, failure), denial: decision?.verdict === "allow" ? undefined : decision }
})

interface Ready {
  readonly tool: Tool
  readonly call: ToolCall
  readonly prepared: PreparedCall
}

const askThenExecute = Effect.fnUntraced(function* (ready: Ready, decision: Decision, emit: Emit) {
  const approval = yield* Approval
  const policy = yield* Policy
  const { call, prepared, tool } = ready
  const confirmation = (yield* prepared.confirmation) ?? genericQuestion(ready)
  if (confirmation === null) return yield* execute({ ...ready, decision: "accept" }, emit)
  const answer = yield* approval.ask({
    callId: call.callId,
    toolName: tool.name,
    confirmation,
    why: decision.reason
  })
  switch (answer._tag) {
    case "No":
      return refused(tool.name, answer.reason)
    case "Once":
      return yield* execute({ ...ready, decision: "accept" }, emit)
    case "Always": {
      const { narrowing } = prepared
      const { notice } = yield* policy.addAlways({
        toolName: tool.name,
        keep: answer.keep,
        ...(narrowing === undefined ? {} : { narrowing })
      })
      if (notice !== undefined) yield* emit({ _tag: "Notice", severity: "info", message: notice })
      return yield* execute({ ...ready, decision: "auto_accept" }, emit)
    }
    case "Modified": {
      const args = prepared.revise === undefined ? call.args : yield* prepared.revise(answer.newContent)
      const revised = yield* tool.prepare(args)
      return yield* execute({ tool, call, prepared: revised, decision: "modify" }, emit)
    }
  }
})

/**
 * A tool without a question of its own is asked about in general terms. Not so edits that cannot be made, which explain
 * themselves when they run, and tools that are themselves a question to the person.
 */
const genericQuestion = ({ prepared, tool }: Ready): Confirmation | null =>
  tool.kind === "edit" || tool.kind === "communicate" || tool.kind === "plan"
    ? null
    : { type: "info", title: `Allow ${tool.displayName}?`, prompt: prepared.description, urls: [] }

const execute = Effect.fnUntraced(function* (ready: Ready & { readonly decision: CallDecision }, emit: Emit) {
  const { call, decision, prepared, tool } = ready
  const progress = (output: string) => emit({ _tag: "ToolProgress", callId: call.callId, output })
  const result = yield* Effect.either(recorded(ready, emit, prepared.run({ callId: call.callId, progress })))
  const end: CallResult["end"] =
    result._tag === "Right" ? { _tag: "Done", output: result.right } : { _tag: "Failed", failure: result.left }
  return { name: tool.name, end, decision, denial: undefined } satisfies Attempt
})

/** What may change files is recorded on the way, so that it can be taken back. */
const recorded = <A, E>({ call, prepared, tool }: Ready, emit: Emit, run: Effect.Effect<A, E>) => {
  const changing = changingCall(tool, call, prepared)
  if (changing === undefined) return run
  const tell = (message: string) => emit({ _tag: "Notice", severity: "warning", message })
  return Effect.flatMap(ChangeJournal, (journal) => journal.record({ call: changing, tell }, run))
}

const policyCall = (tool: Tool, { args }: ToolCall): PolicyCall => ({
  name: tool.name,
  args: withoutCallOptions(args),
  aliases: tool.aliases,
  kind: tool.kind,
  ...(tool.server === undefined ? {} : { server: tool.server }),
  ...(tool.annotations === undefined ? {} : { annotations: tool.annotations })
})

const denied = (tool: Tool, decision: Decision): Attempt => {
  const why = decision.denyMessage ?? decision.reason
  const message = `Tool execution denied by policy. ${why}`
  return { ...attemptFailed(tool.name, new ToolFailure({ type: "policy_violation", message })), denial: decision }
}

const refused = (name: string, reason: string | undefined): Attempt => ({
  name,
  end: { _tag: "Refused", reason: reason ?? "the user declined" },
  decision: "reject",
  denial: undefined
})

const attemptFailed = (name: string, failure: ToolFailure): Attempt => ({
  name,
  end: { _tag: "Failed", failure },
  decision: undefined,
  denial: undefined
})

const failed = (type: ToolFailure["type"], message: string): CallResult["end"] => ({
  _tag: "Failed",
  failure: new ToolFailure({ type, message })
})

const messageOf = (defect: unknown): string => (defect instanceof Error ? defect.message : String(defect))
