/** When a model is asked whether there is still progress: from the thirtieth turn of a prompt, then every 5 to 15 turns. */
export interface CheckSchedule {
  readonly lastTurn: number
  /** Turns from one check to the next. */
  readonly interval: number
}

const FIRST_TURN = 30
const FIRST_INTERVAL = 10
const SHORTEST = 5
const LONGEST = 15

export const firstCheck: CheckSchedule = { lastTurn: 0, interval: FIRST_INTERVAL }

export const isCheckDue = ({ interval, lastTurn }: CheckSchedule, turn: number): boolean =>
  turn >= FIRST_TURN && turn - lastTurn >= interval

/** `confidence`: how sure the model was of a loop, between 0 and 1. */
export const nextCheck = (turn: number, confidence: number): CheckSchedule => ({
  lastTurn: turn,
  interval: Math.round(SHORTEST + (LONGEST - SHORTEST) * (1 - Math.min(1, Math.max(0, confidence))))
})
