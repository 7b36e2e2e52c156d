/** What the start of the program knows of a sub-command, to tell it from a prompt; generated from the commands. */
import type { Availability } from "./option-row.ts"

/** What a command of `@effect/cli` cannot say of itself. */
export interface SubcommandFacts {
  readonly aliases: ReadonlyArray<string>
  /**
   * `always`: scripts rely on this name, so it is never the first word of a prompt. `exact`: the name is an everyday
   * word and counts only alone or before a verb, an id or a flag; `gemini undo my last commit` is a prompt.
   */
  readonly matching: "always" | "exact"
  /** Ids that may stand in the place of a verb. */
  readonly ids: ReadonlyArray<"session" | "run" | "file">
  /** The verb that is meant by an id; absent: the command takes it by itself. */
  readonly idVerb: string | undefined
}

export interface SubcommandRow extends SubcommandFacts {
  readonly name: string
  readonly verbs: ReadonlyArray<string>
  /** It does something without a verb. */
  readonly standsAlone: boolean
  readonly since: Availability
}
