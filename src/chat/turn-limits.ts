/** The limits on turns, asked before each request. A limit of the person's own beats the one that every prompt has. */
import { LimitReached } from "./chat-error.ts"

export interface TurnLimit {
  readonly value: number
  /** The flag, variable or setting that set it. */
  readonly source: string
}

export interface TurnLimits {
  /** Of the whole session, tool rounds included. */
  readonly session: TurnLimit | undefined
  /** Of the work on one prompt. */
  readonly prompt: TurnLimit | undefined
}

/** `counts` include the turn that is about to begin. */
export const passedLimit = (
  counts: { readonly session: number; readonly prompt: number },
  limits: TurnLimits
): LimitReached | undefined => {
  const passed = [isPassed(counts.session, limits.session), isPassed(counts.prompt, limits.prompt)].find(
    (limit) => limit !== undefined
  )
  return passed === undefined
    ? undefined
    : new LimitReached({ limit: "turns", value: String(passed.value), source: passed.source })
}

const isPassed = (count: number, limit: TurnLimit | undefined): TurnLimit | undefined =>
  limit !== undefined && count > limit.value ? limit : undefined
