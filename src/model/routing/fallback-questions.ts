/** Puts it to a person what to do about a model that was given up. Who asks, and where, is decided above. */
import { Context, type Effect } from "effect"
import type { CreditOffer, PaidCredits } from "../../auth/google/paid-credits.ts"
import type { ModelError } from "../../retry/model-error.ts"
import type { Signal } from "../../telemetry/signal.ts"

export interface FallbackQuestion {
  /** The model that was given up. */
  readonly failed: string
  /** Could stand in for it; `undefined`: nothing is left but to try the same one again. */
  readonly other: string | undefined
  readonly error: ModelError
  /** The account could pay for it. */
  readonly credits?: CreditOffer | undefined
}

/**
 * `switch`: the other model answers for the rest of the session. `again`: the same one once more. `pay`: the same one, for
 * credits. `page`: where credits are managed, or bought.
 */
export type FallbackAnswer = "switch" | "again" | "pay" | "page" | "stop"

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
  /** Of the account, where one is signed in. */
  readonly credits?: AskingCredits | undefined
}

export interface AskingCredits extends Pick<PaidCredits, "offer" | "agree" | "strategy"> {
  /** Opens the page where they are managed, or bought. */
  readonly openPage: (what: "activity" | "credits") => Effect.Effect<void>
  readonly tell: (signals: ReadonlyArray<Signal>) => Effect.Effect<void>
}
