/** Puts it to a person what to do about a model that was given up. Who asks, and where, is decided above. */
import { Context, type Effect } from "effect"
import type { ModelError } from "../../retry/model-error.ts"

export interface FallbackQuestion {
  /** The model that was given up. */
  readonly failed: string
  /** Could stand in for it; `undefined`: nothing is left but to try the same one again. */
  readonly other: string | undefined
  readonly error: ModelError
}

/** `switch`: the other model answers for the rest of the session. `again`: the same one once more. */
export type FallbackAnswer = "switch" | "again" | "stop"

export class FallbackQuestions extends Context.Tag("agent/model/FallbackQuestions")<
  FallbackQuestions,
  {
    /** One question at a time: whoever comes second is told to stop. */
    readonly ask: (question: FallbackQuestion) => Effect.Effect<FallbackAnswer>
  }
>() {}

/** How a conversation asks. */
export interface Asking {
  readonly ask: FallbackQuestions["Type"]["ask"]
  /** The model that the person wants from now on. */
  readonly select: (model: string) => Effect.Effect<void>
  /** `ui.errorVerbosity` is `low`: a limit that passes is no matter for a question. */
  readonly isQuiet: boolean
}
