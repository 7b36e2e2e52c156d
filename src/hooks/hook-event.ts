/**
 * The points of a run at which programs of the user may be called, and what each of them is matched by. Where the program
 * says that something happens and goes on whatever is answered, a row is all that an event needs beside its setting and
 * the call of `Hooks.told` where it happens.
 */

/** What follows from an answer stands in `decisions.ts`, and in words in `consequence.ts`. */
const ANSWERED = { field: undefined, words: [] } as const

/** All events in the order in which they are listed. Told ones: the words that say why, and their name in what is read. */
const EVENTS = {
  SessionStart: ANSWERED,
  SessionEnd: { field: "reason", words: ["exit", "clear", "logout", "prompt_input_exit", "other"] },
  BeforeAgent: ANSWERED,
  AfterAgent: ANSWERED,
  BeforeModel: ANSWERED,
  AfterModel: ANSWERED,
  BeforeToolSelection: ANSWERED,
  BeforeTool: ANSWERED,
  AfterTool: ANSWERED,
  Notification: ANSWERED,
  PreCompress: { field: "trigger", words: ["auto", "manual"] }
} as const

export type HookEvent = keyof typeof EVENTS

/** Programs hear of it, and it goes on whatever they answer. */
export type ToldEvent = {
  [Event in HookEvent]: (typeof EVENTS)[Event]["field"] extends string ? Event : never
}[HookEvent]

export type ToldWord<Event extends ToldEvent> = (typeof EVENTS)[Event]["words"][number]

// The keys of a constant are those of its type.
export const HOOK_EVENTS = Object.keys(EVENTS) as ReadonlyArray<HookEvent>

export const isToldEvent = (event: HookEvent): event is ToldEvent => EVENTS[event].field !== undefined

/** Stands where a trial names no word. */
export const usualWord = (event: ToldEvent): string => EVENTS[event].words[0]

export const toldFields = (event: ToldEvent, word: string) => ({ [EVENTS[event].field]: word })

export const isHookEvent = (name: string): name is HookEvent => HOOK_EVENTS.some((event) => event === name)

export type SessionStartSource = "startup" | "resume" | "clear"
export type SessionEndReason = ToldWord<"SessionEnd">

/** What a matcher is held against: the names of a tool, or the word that says why the event fires. */
export type MatchTarget =
  | { readonly _tag: "Tool"; readonly names: ReadonlyArray<string> }
  | { readonly _tag: "Trigger"; readonly word: string }
  /** Matchers say nothing here. */
  | { readonly _tag: "Any" }

export const ANY: MatchTarget = { _tag: "Any" }
