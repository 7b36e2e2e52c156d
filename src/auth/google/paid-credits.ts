/**
 * Credits of Google One AI, which pay for requests once a quota is used up. They are money: none is spent unless the
 * person said so, in the settings (`billing.overageStrategy`) or when asked in this session.
 */
import { Duration, Effect, Schema } from "effect"

const text = Schema.optional(Schema.NullOr(Schema.String))
/** Whole numbers come as text. */
export const CreditList = Schema.NullOr(Schema.Array(Schema.Struct({ creditType: text, creditAmount: text })))

export const CREDIT_TYPE = "GOOGLE_ONE_AI"
/** The server takes none where fewer are left. */
const LEAST_BALANCE = 50
const PAID_MODELS: ReadonlySet<string> = new Set([
  "gemini-3-pro-preview",
  "gemini-3.1-pro-preview",
  "gemini-3-flash-preview"
])

/** `undefined`: none of this kind are listed, so the account cannot have any. */
export const creditsIn = (list: typeof CreditList.Type | undefined): number | undefined => {
  const ours = (list ?? []).filter(({ creditType }) => creditType === CREDIT_TYPE)
  if (ours.length === 0) return undefined
  return ours.reduce(
    (sum, { creditAmount }) => sum + (/^\d{1,15}$/.test(creditAmount ?? "") ? Number(creditAmount) : 0),
    0
  )
}

export type OverageStrategy = "ask" | "always" | "never"

export interface PaidCredits {
  readonly strategy: () => OverageStrategy
  /** As far as it is known; `undefined`: the account has no credits. */
  readonly balance: () => number | undefined
  /** A request to this model says that they may be used. */
  readonly pay: (model: string) => boolean
  /** What may be put to the person about a model whose quota is used up. */
  readonly offer: (model: string) => Effect.Effect<CreditOffer | undefined>
  /** The person agreed: they are used for the rest of the session. */
  readonly agree: Effect.Effect<void>
  /** The server says how many are left. */
  readonly noteLeft: (balance: number) => void
}

export interface CreditOffer {
  readonly balance: number
  /** Enough for a request. */
  readonly isEnough: boolean
}

interface CreditFacts {
  readonly strategy: OverageStrategy
  readonly balance: number | undefined
  /** Asks the server for the balance. */
  readonly ask: Effect.Effect<number | undefined, unknown>
}

const ASKED_WITHIN = Duration.seconds(5)

export const paidCredits = ({ ask, ...given }: CreditFacts): PaidCredits => {
  let { balance, strategy } = given
  const isEnough = () => balance !== undefined && balance >= LEAST_BALANCE
  return {
    strategy: () => strategy,
    balance: () => balance,
    pay: (model) => strategy === "always" && isEnough() && PAID_MODELS.has(model),
    offer: Effect.fnUntraced(function* (model) {
      if (strategy === "never" || balance === undefined || !PAID_MODELS.has(model)) return undefined
      // Somebody decides by it: what was found out up to an hour ago may not hold any more.
      balance = yield* ask.pipe(
        Effect.timeout(ASKED_WITHIN),
        Effect.orElseSucceed(() => balance)
      )
      if (balance === undefined || (strategy === "always" && isEnough())) return undefined
      return { balance, isEnough: isEnough() }
    }),
    agree: Effect.sync(() => {
      strategy = "always"
    }),
    noteLeft: (left) => {
      balance = left
    }
  }
}

/** Where credits are managed, for this account where it is known. */
export const creditsPage = (what: "activity" | "credits", email: string | undefined): string => {
  const page = `https://one.google.com/ai/${what}`
  if (email === undefined) return page
  return `https://accounts.google.com/AccountChooser?${new URLSearchParams({ Email: email, continue: page })}`
}
