/** What one row of the sub-command table says; the counterpart of `option-row.ts`. */
import type { Availability, OptionRow } from "./option-row.ts"

export interface VerbRow {
  readonly name: string
  /** Positional arguments as shown in help: `<name> [args...]`. */
  readonly usage?: string
  readonly description: string
  readonly options?: ReadonlyArray<OptionRow>
  /** Options that the rows do not name are for somebody else. */
  readonly passesOptions?: true
  readonly since: Availability
}

export interface SubcommandRow {
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  /** What may follow the name, where that is not a verb alone. */
  readonly usage?: string
  readonly description: string
  readonly verbs: ReadonlyArray<VerbRow>
  /** Options of every verb, and of the sub-command alone where it has no verbs. */
  readonly options?: ReadonlyArray<OptionRow>
  /**
   * `always`: scripts rely on this name, so it is never the first word of a prompt. `exact`: the name is an everyday
   * word and counts only alone or before a verb, an id or a flag; `gemini undo my last commit` is a prompt.
   */
  readonly matching: "always" | "exact"
  /** The id of a session may stand in the place of a verb. */
  readonly takesSession?: true
  /** The id of a run may, or nothing at all. */
  readonly takesRun?: true
  readonly since: Availability
  readonly examples?: ReadonlyArray<string>
}
