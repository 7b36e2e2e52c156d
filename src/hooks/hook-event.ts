/** The points of a run at which programs of the user may be called, and what each of them is matched by. */

export const HOOK_EVENTS = [
  "SessionStart",
  "SessionEnd",
  "BeforeAgent",
  "AfterAgent",
  "BeforeModel",
  "AfterModel",
  "BeforeToolSelection",
  "BeforeTool",
  "AfterTool",
  "Notification",
  "PreCompress"
] as const

export type HookEvent = (typeof HOOK_EVENTS)[number]

export const isHookEvent = (name: string): name is HookEvent => HOOK_EVENTS.some((event) => event === name)

export type SessionStartSource = "startup" | "resume" | "clear"
export type SessionEndReason = "exit" | "clear" | "logout" | "prompt_input_exit" | "other"
export type CompressionTrigger = "manual" | "auto"

/** What a matcher is held against: the names of a tool, or the word that says why the event fires. */
export type MatchTarget =
  | { readonly _tag: "Tool"; readonly names: ReadonlyArray<string> }
  | { readonly _tag: "Trigger"; readonly word: string }
  /** Matchers say nothing here. */
  | { readonly _tag: "Any" }

export const ANY: MatchTarget = { _tag: "Any" }
