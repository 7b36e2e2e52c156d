/**
 * Asks whoever can answer whether a tool call may run. A headless run has nobody: its policy refuses what would have to
 * be asked, and should a question get here all the same, the answer is no.
 */
import { Context, Effect } from "effect"
import type { Confirmation } from "../protocol/confirmation.ts"
import type { CallId } from "../protocol/ids.ts"

export interface ApprovalQuestion {
  readonly callId: CallId
  readonly toolName: string
  readonly confirmation: Confirmation
  /** Arguments of the call that count as well and that the confirmation does not show. */
  readonly arguments: ReadonlyArray<ShownArgument>
  /** Why it is asked: the policy's explanation in one line. */
  readonly why: string
  /** What may be allowed from now on instead of this one call; empty where nothing may. */
  readonly standing: ReadonlyArray<StandingOffer>
  /** The sub-agent that wants to make the call; absent for the main one. */
  readonly agent?: string
  /** The text that a person may change before it is used; absent where there is none. */
  readonly draft?: Draft
}

export interface ShownArgument {
  readonly name: string
  readonly value: string
}

/** `call`: what is like this call. `server`: all tools of its MCP server. `edits`: all edits, by switching the mode. */
export type Coverage = "call" | "server" | "edits"

export interface StandingOffer {
  readonly covers: Coverage
  /** What would not be asked about any more, in a few words. */
  readonly what: string
  /** The entry that saving it would write; absent where it cannot be saved. */
  readonly savedAs?: string
  /** The file that it is saved in, where that is not the one of all such rules. */
  readonly savedIn?: string
}

export interface Draft {
  readonly text: string
  /** For the editor's colours. */
  readonly fileName: string
}

export type ApprovalAnswer =
  | { readonly _tag: "Once" }
  /** Do not ask again: for this session, or saved in the user's or the project's rules. */
  | { readonly _tag: "Always"; readonly covers: Coverage; readonly keep: "session" | "user" | "workspace" }
  /** Use this text instead of the draft. Unless it is settled, the changed call is judged and asked about again. */
  | { readonly _tag: "Modified"; readonly text: string; readonly isSettled: boolean }
  /** `reason` is told to the model. */
  | { readonly _tag: "No"; readonly reason: string | undefined }

export class Approval extends Context.Tag("agent/approval/Approval")<
  Approval,
  {
    readonly ask: (question: ApprovalQuestion) => Effect.Effect<ApprovalAnswer>
  }
>() {}

export const headless: Approval["Type"] = {
  ask: () => Effect.succeed({ _tag: "No", reason: "nobody can be asked in a headless run" })
}
