/**
 * May a call run? Hooks of the user are asked first, then the rules, then a person where either of them says so. The
 * answer is a call that is ready to run, or why it is not.
 */
import { Effect } from "effect"
import { Approval, type StandingOffer } from "../../approval/approval.ts"
import type { Decision, PolicyCall } from "../../policy/decision.ts"
import { Policy } from "../../policy/policy.ts"
import type { ApprovalMode } from "../../protocol/modes.ts"
import type { Expansion } from "../../sandbox/sandbox.ts"
import {
  type CallExpansion,
  type PreparedCall,
  type Tool,
  type ToolFailure,
  type ToolOutput,
  withoutCallOptions
} from "../tool.ts"
import type { ToolCall } from "../tool-scheduler.ts"
import { type Answered, type AskingPlace, argumentsBeside, askPerson, openingQuestion } from "./ask-person.ts"
import { beginCall, type CallEnd, phase } from "./call-hooks.ts"
import type { CallDecision, CallSurroundings } from "./run-call.ts"

/** A call with its arguments checked: nothing has happened yet. */
export interface Ready {
  readonly tool: Tool
  readonly call: ToolCall
  readonly prepared: PreparedCall
}

/** Ready to run: somebody or some rule agreed. */
export interface Agreed extends Ready {
  readonly _tag: "Run"
  /** Arguments that a hook changed. */
  readonly changed: ReadonlyArray<string>
  readonly decision: CallDecision
  readonly wasAsked: boolean
  /** A shell line that is understood, and only reads. */
  readonly isReading: boolean
  /** See `CallContext`. */
  readonly onlyHosts?: Decision["onlyHosts"]
  readonly opens?: CallExpansion["grant"]
}

type JudgedOnce = Answered | { readonly _tag: "Denied"; readonly decision: Decision }

type Judgement =
  | Agreed
  | (Extract<JudgedOnce, { readonly _tag: "Denied" | "Refused" }> & { readonly prepared: PreparedCall })

/**
 * Hooks come first, on arguments that are right in themselves; what they or a person changed is checked again. What a
 * person changed is judged anew: their text may be something that no rule allows.
 */
export const judge: (
  tool: Tool,
  asked: ToolCall,
  around: CallSurroundings
) => Effect.Effect<Judgement, ToolFailure, Policy | Approval> = Effect.fnUntraced(function* (tool, asked, around) {
  const prepare = (args: ToolCall["args"]) => tool.prepare(args).pipe(phase(tool.name, "validation"))
  let prepared = yield* prepare(asked.args)
  const begun = yield* beginCall(tool, asked, around)
  if ("blocked" in begun) return { _tag: "Denied", decision: blockedByHook(begun.blocked), prepared }
  let { call } = begun
  let isModified = false
  let isSettled = false
  while (true) {
    if (call !== asked) prepared = yield* prepare(call.args)
    const ready: Ready = { tool, call, prepared }
    const answer: JudgedOnce = yield* judgeOnce(ready, { isSettled, mustAsk: begun.mustAsk, around })
    if (answer._tag === "Run") {
      return { ...answer, ...ready, changed: begun.changed, decision: isModified ? "modify" : answer.decision }
    }
    if (answer._tag !== "Revised") return { ...answer, prepared }
    call = { ...call, args: answer.args }
    isModified = true
    isSettled = answer.isSettled
  }
})

interface JudgingOptions {
  readonly isSettled: boolean
  readonly mustAsk: string | undefined
  readonly around: CallSurroundings
}

const judgeOnce = Effect.fnUntraced(function* (ready: Ready, { around, isSettled, mustAsk }: JudgingOptions) {
  const policy = yield* Policy
  const ground = Effect.all([policy.rules, policy.mode])
  const targets = ready.prepared.locations.map(({ path }) => path)
  const call = { ...policyCall(ready.tool, ready.call, ready.prepared), targets }
  const decide = Effect.map(policy.decide(call), (decision) =>
    mustAsk === undefined ? decision : tightened(decision, mustAsk, around)
  )
  const place = { ...around, isByHook: mustAsk !== undefined }
  const [rules, mode] = yield* ground
  const decision = yield* decide.pipe(phase(ready.tool.name, "preparation"))
  if (decision.verdict === "deny") return { _tag: "Denied", decision } as const
  const expansion = around.canAsk && !isSettled ? yield* expansionOf(ready, mode) : undefined
  if (isSettled || (decision.verdict === "allow" && expansion === undefined)) {
    const isReading = decision.isReading === true
    return { _tag: "Run", decision: "accept", wasAsked: isSettled, isReading, ...reachOf(decision) } as const
  }
  return yield* around.asking.withPermits(1)(
    Effect.gen(function* () {
      // While this call waited for its turn, an answer to another one may have settled it.
      const [latestRules, latestMode] = yield* ground
      const isSame = latestRules === rules && latestMode === mode
      const latest = isSame ? decision : yield* decide
      if (latest.verdict === "deny") return { _tag: "Denied", decision: latest } as const
      // So may what it opened to a program.
      const lacking = expansion === undefined ? undefined : yield* expansionOf(ready, latestMode)
      if (latest.verdict === "ask") return yield* askPerson(ready, latest, { ...place, expansion: lacking })
      if (lacking !== undefined) return { ...(yield* askToOpen(ready, lacking, place)), ...reachOf(latest) }
      const isReading = latest.isReading === true
      return { _tag: "Run", decision: "auto_accept", wasAsked: false, isReading, ...reachOf(latest) } as const
    })
  )
})

/** What is only known of such calls is not worth a question to somebody who wants few of them. */
const expansionOf = Effect.fnUntraced(function* ({ prepared }: Ready, mode: ApprovalMode) {
  const expansion = prepared.expansion === undefined ? undefined : yield* prepared.expansion
  return expansion?.isStated === true || mode === "default" ? expansion : undefined
})

const reachOf = ({ onlyHosts }: Decision) => (onlyHosts === undefined ? {} : { onlyHosts })

const blockedByHook = (reason: string): Decision => ({
  verdict: "deny",
  reason: `${BY_HOOK}it: ${reason}`,
  ...NO_RULE
})

/** How the reason begins where not a rule but a program of the user's refused. */
const BY_HOOK = "a hook refused "

export const isByHook = ({ reason }: Decision): boolean => reason.startsWith(BY_HOOK)

const NO_RULE: Pick<Decision, "commands" | "considered"> = { commands: [], considered: [] }

/** A hook can ask for more care than the rules, never for less; where nobody can be asked, that is a refusal. */
const tightened = (decision: Decision, mustAsk: string, { canAsk }: CallSurroundings): Decision => {
  if (decision.verdict === "deny") return decision
  return canAsk
    ? { ...NO_RULE, verdict: "ask", reason: `a hook wants you to decide: ${mustAsk}` }
    : { ...NO_RULE, verdict: "deny", reason: `${BY_HOOK}to let it run unasked, and nobody can be asked: ${mustAsk}` }
}

/** `prepared` is absent for a call that will not be made. */
export const policyCall = (tool: Tool, { args }: ToolCall, prepared?: PreparedCall): PolicyCall => ({
  name: tool.name,
  args: withoutCallOptions(args),
  ...(prepared?.args === undefined ? {} : { used: prepared.args }),
  ...(tool.jsonSchema === undefined ? {} : { schema: tool.jsonSchema }),
  aliases: tool.aliases,
  kind: tool.kind,
  ...(tool.server === undefined ? {} : { server: tool.server }),
  ...(tool.annotations === undefined ? {} : { annotations: tool.annotations })
})

/**
 * A question to a person about the sandbox: whether more may be open to one call, before it runs or after it failed. What
 * would be open and where the wish comes from stand in it; nothing else opens anything.
 * The call itself may run; what it asks for is the question.
 */
const askToOpen = Effect.fnUntraced(function* (ready: Ready, expansion: Expansion, place: AskingPlace) {
  const answer = yield* ask(ready, expansion, place, false)
  switch (answer._tag) {
    case "No":
      return { _tag: "Refused", reason: answer.reason ?? "the user did not open the sandbox for it" } as const
    case "Opened":
      return { _tag: "Run", decision: "accept", wasAsked: true, isReading: false, opens: expansion.grant } as const
    case "Revised":
      return answer
  }
})

/** How often one call is tried again: each time something else may be missing. */
const MOST_RETRIES = 3

/** A call that the sandbox was in the way of, once more with what a person opens to it. */
export const openedAfter = Effect.fnUntraced(function* (ended: CallEnd, ready: Ready, around: CallSurroundings) {
  let end = ended
  for (let count = 0; count < MOST_RETRIES; count++) {
    const retry = end._tag === "Done" ? end.output.retry : undefined
    if (retry === undefined || !around.canAsk || (yield* (yield* Policy).mode) !== "default") return end
    const answer = yield* around.asking.withPermits(1)(
      ask(ready, retry.expansion, { ...around, isByHook: false }, true)
    )
    if (answer._tag !== "Opened") return end
    end = yield* Effect.match(retry.again, {
      onFailure: (failure): CallEnd => ({ _tag: "Failed", failure }),
      onSuccess: (output: ToolOutput): CallEnd => ({ _tag: "Done", output })
    })
  }
  return end
})

const ask = Effect.fnUntraced(function* (ready: Ready, expansion: Expansion, place: AskingPlace, isAgain: boolean) {
  const approval = yield* Approval
  const { call, prepared, tool } = ready
  const plain = yield* prepared.confirmation
  if (plain === null) return { _tag: "No", reason: undefined } as const
  const confirmation = openingQuestion(plain, expansion, isAgain)
  yield* place.hooks.notification(confirmation, place.emit)
  const answer = yield* approval.ask({
    callId: call.callId,
    toolName: tool.name,
    confirmation,
    arguments: argumentsBeside(tool.name, confirmation, call.args),
    why: expansion.origin,
    standing: place.isByHook ? [] : yield* offersOf(expansion)
  })
  switch (answer._tag) {
    case "No":
      return answer
    case "Once":
      return { _tag: "Opened" } as const
    case "Always": {
      const notice = yield* expansion.standing?.keep(answer.keep === "session" ? "session" : "user") ?? Effect.void
      if (notice !== undefined) yield* place.emit({ _tag: "Notice", severity: "info", message: notice })
      return { _tag: "Opened" } as const
    }
    case "Modified": {
      if (isAgain || prepared.revise === undefined) return { _tag: "No", reason: undefined } as const
      return { _tag: "Revised", args: yield* prepared.revise(answer.text), isSettled: answer.isSettled } as const
    }
  }
})

const offersOf = Effect.fnUntraced(function* ({ standing }: Expansion) {
  if (standing === undefined) return []
  return [
    {
      covers: "call",
      what: standing.what,
      savedAs: yield* standing.entry,
      savedIn: "sandbox.toml"
    } satisfies StandingOffer as StandingOffer
  ]
})
