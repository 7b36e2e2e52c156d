/** Who answers while extensions are changed: a person at the shell or in a conversation, or nobody. */
import { Effect } from "effect"

export interface Dialogue {
  /** Anything but a clear yes is a no. */
  readonly confirm: (question: string) => Effect.Effect<boolean>
  /** One line of text; `undefined` when there is no answer. What is hidden is not echoed. */
  readonly ask: (question: string, options: { readonly isHidden: boolean }) => Effect.Effect<string | undefined>
  /** Beside the result: what to know before answering, and what was left out. */
  readonly tell: (text: string) => Effect.Effect<void>
}

/** Nobody is there: every question is answered with no. */
export const nobody: Dialogue = {
  confirm: () => Effect.succeed(false),
  ask: () => Effect.succeed(undefined),
  tell: () => Effect.void
}
