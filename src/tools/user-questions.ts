/**
 * Questions that a tool itself puts to the person: a choice to make, a plan to agree to. Different from approval, which
 * asks whether a call may run at all. A headless run has nobody to ask.
 */
import { Context, Effect, Layer } from "effect"
import type { ApprovalMode } from "../protocol/modes.ts"

export interface QuestionOption {
  readonly label: string
  readonly description: string
}

export interface Question {
  readonly question: string
  /** A short label. */
  readonly header: string
  readonly type: "choice" | "text" | "yesno"
  /** For `choice`. Whoever asks adds a free answer. */
  readonly options: ReadonlyArray<QuestionOption>
  readonly multiSelect: boolean
  readonly placeholder?: string | undefined
}

export type PlanReview =
  | { readonly approved: true; readonly mode: Exclude<ApprovalMode, "plan"> }
  | { readonly approved: false; readonly feedback?: string }

export class UserQuestions extends Context.Tag("agent/tools/UserQuestions")<
  UserQuestions,
  {
    /** One answer for each question, in order; several choices joined by `, `. `null` when the person gave none. */
    readonly ask: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyArray<string> | null>
    /** Whether the plan in this file may be carried out, and in which mode. `null` when there is nobody to ask. */
    readonly reviewPlan: (planFile: string) => Effect.Effect<PlanReview | null>
  }
>() {}

/** A run without a person. Silence agrees to nothing. */
export const layerNone = Layer.succeed(UserQuestions, {
  ask: () => Effect.succeed(null),
  reviewPlan: () => Effect.succeed(null)
})
