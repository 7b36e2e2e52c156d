/**
 * A question to a person about the sandbox: whether more may be open to one call, before it runs or after it failed. What
 * would be open and where the wish comes from stand in it; nothing else opens anything.
 */
import { Effect } from "effect"
import { Approval, type StandingOffer } from "../../approval/approval.ts"
import { Policy } from "../../policy/policy.ts"
import type { Expansion } from "../../sandbox/sandbox.ts"
import type { ToolOutput } from "../tool.ts"
import { type AskingPlace, argumentsBeside, openingQuestion } from "./ask-person.ts"
import type { CallEnd } from "./call-hooks.ts"
import type { Ready } from "./judge-call.ts"
import type { CallSurroundings } from "./run-call.ts"

/** The call itself may run; what it asks for is the question. */
export const askToOpen = Effect.fnUntraced(function* (ready: Ready, expansion: Expansion, place: AskingPlace) {
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
