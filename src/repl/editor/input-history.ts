/** What was entered before, across sessions of this project. */
import type { Effect } from "effect"

export interface InputHistory {
  /** Oldest first, consecutive duplicates removed. Read from the file at the first use. */
  readonly entries: Effect.Effect<ReadonlyArray<string>>
  /** Appends to the file; a failure to write is no failure of the input. Empty text is not kept. */
  readonly add: (text: string) => Effect.Effect<void>
}
