/**
 * What outlives a session that is built anew in the same process. What the person decided (a mode, a model, approvals)
 * stays whatever follows; the conversation itself stays only where it goes on.
 */
import { Effect, Ref } from "effect"
import { Chat } from "../../chat/chat.ts"
import { withoutOpening, withoutSignatures } from "../../chat/prompt-messages.ts"
import { SessionStats, type SessionUse } from "../../chat/stats/session-stats.ts"
import { Extensions } from "../../extensions/extensions.ts"
import { SelectedModel } from "../../model/selected-model.ts"
import { PlanMode } from "../../policy/plan-mode.ts"
import { Policy } from "../../policy/policy.ts"
import type { PolicyRule } from "../../policy/rule.ts"
import type { Content } from "../../protocol/content.ts"
import type { ApprovalMode, AuthType } from "../../protocol/modes.ts"
import { SessionRecorder, type SessionStart } from "../../session/record/session-recorder.ts"
import { SessionFacts } from "../../slash/session-facts.ts"
import type { RunPlan } from "../plan.ts"

export interface SessionChoices {
  /** Absent: the one that flags and settings name, whatever they say by then. */
  readonly mode: ApprovalMode | undefined
  readonly model: string | undefined
  /** Approvals "for this session", and what took one of them back. */
  readonly rules: ReadonlyArray<PolicyRule>
  /** Extensions that are on or off for this session, by name. */
  readonly extensions: ReadonlyMap<string, boolean>
  /** Folders that joined the workspace. */
  readonly directories: ReadonlyArray<string>
}

export interface CarriedConversation {
  readonly history: ReadonlyArray<Content>
  readonly use: SessionUse
  readonly approvedPlan: string | null
  /** How it was signed in so far. */
  readonly authType: AuthType | undefined
  /** Where it is recorded. */
  readonly recorded: SessionStart
}

export const choicesOf = Effect.fnUntraced(function* ({ approvalMode, model }: RunPlan) {
  const policy = yield* Policy
  const selected = yield* SelectedModel
  const extensions = yield* Extensions
  const recorder = yield* SessionRecorder
  return {
    mode: unlessEqual(yield* policy.mode, approvalMode),
    model: unlessEqual(yield* selected.get, model),
    rules: (yield* policy.rules).filter(({ holdsUntilExit }) => holdsUntilExit === true),
    extensions: yield* Ref.get(extensions.session),
    directories: (yield* recorder.session).directories ?? []
  } satisfies SessionChoices
})

const unlessEqual = <A>(present: A, planned: A): A | undefined => (present === planned ? undefined : present)

/** A mode that is forbidden by now is not taken up; nor are approvals in a folder that is not trusted any more. */
export const takeUpChoices = Effect.fnUntraced(function* ({ mode, model, rules }: SessionChoices, isTrusted: boolean) {
  const policy = yield* Policy
  const selected = yield* SelectedModel
  if (mode !== undefined) yield* Effect.ignore(policy.setMode(mode))
  if (model !== undefined) yield* selected.set(model)
  if (isTrusted && rules.length > 0) yield* policy.addRules(rules)
})

export const conversationOf = Effect.gen(function* () {
  const chat = yield* Chat
  const stats = yield* SessionStats
  const plans = yield* PlanMode
  const recorder = yield* SessionRecorder
  return {
    history: yield* chat.history,
    use: yield* stats.current,
    approvedPlan: yield* plans.approvedPlan,
    authType: (yield* SessionFacts).authType,
    recorded: { ...(yield* recorder.session), file: yield* recorder.file }
  } satisfies CarriedConversation
})

export const takeUpConversation = Effect.fnUntraced(function* (conversation: CarriedConversation) {
  const { approvedPlan, use } = conversation
  const chat = yield* Chat
  const stats = yield* SessionStats
  const plans = yield* PlanMode
  const { authType } = yield* SessionFacts
  const hasLeftKey = conversation.authType === "gemini-api-key" && authType !== "gemini-api-key"
  const history = hasLeftKey ? withoutSignatures(conversation.history) : conversation.history
  if (history.length > 0) yield* chat.replaceHistory(withoutOpening(history))
  yield* stats.goOnFrom(use)
  if (approvedPlan !== null) yield* plans.approvePlan(approvedPlan)
})
