/**
 * Asks whoever can answer whether a tool call may run. A headless run has nobody: its policy refuses what would have to
 * be asked, and should a question get here all the same, the answer is no.
 */
import { Context, Effect, Layer } from "effect"
import type { Confirmation } from "../protocol/confirmation.ts"
import type { CallId } from "../protocol/ids.ts"

export interface ApprovalQuestion {
  readonly callId: CallId
  readonly toolName: string
  readonly confirmation: Confirmation
  /** Why it is asked: the policy's explanation in one line. */
  readonly why: string
}

export type ApprovalAnswer =
  | { readonly _tag: "Once" }
  /** Do not ask again: for this session, or saved in the user's or the project's rules. */
  | { readonly _tag: "Always"; readonly keep: "session" | "user" | "workspace" }
  /** Run it with this text instead of the proposed one. */
  | { readonly _tag: "Modified"; readonly newContent: string }
  /** `reason` is told to the model. */
  | { readonly _tag: "No"; readonly reason: string | undefined }

export class Approval extends Context.Tag("agent/approval/Approval")<
  Approval,
  {
    readonly ask: (question: ApprovalQuestion) => Effect.Effect<ApprovalAnswer>
  }
>() {}

export const layerHeadless = Layer.succeed(Approval, {
  ask: () => Effect.succeed({ _tag: "No", reason: "nobody can be asked in a headless run" })
})
