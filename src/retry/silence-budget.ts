/**
 * How long a run waits for the events of one answer, over all attempts at it: a server that keeps silent, keeps a
 * connection warm without saying anything, or says a little for ever holds nobody. Only waiting counts, neither what the
 * reader does with an event nor a pause that the server asked for.
 */
import { Duration } from "effect"

export interface SilenceLimits {
  /** For the status line of one attempt. */
  readonly opening: Duration.Duration
  readonly firstEvent: Duration.Duration
  readonly nextEvent: Duration.Duration
  readonly wholeAnswer: Duration.Duration
}

export const USUAL_SILENCE: SilenceLimits = {
  opening: Duration.seconds(60),
  firstEvent: Duration.minutes(3),
  nextEvent: Duration.minutes(5),
  wholeAnswer: Duration.minutes(30)
}

/** Who chooses the flexible tier agrees to queue. */
export const FLEX_SILENCE: SilenceLimits = {
  opening: Duration.minutes(15),
  firstEvent: Duration.minutes(20),
  nextEvent: Duration.minutes(20),
  wholeAnswer: Duration.hours(2)
}

/** An answer in one piece: nothing is heard of it before it is complete. */
export const wholeOf = (limits: SilenceLimits): SilenceLimits => ({
  ...limits,
  opening: limits.nextEvent,
  firstEvent: limits.nextEvent
})

export class SilenceBudget {
  private silentMs = 0
  private waitedMs = 0
  private hasBegun = false

  /** Milliseconds; not above 0 when all of it was waited for. */
  left(limits: SilenceLimits): number {
    const event = Duration.toMillis(this.hasBegun ? limits.nextEvent : limits.firstEvent) - this.silentMs
    return Math.min(event, Duration.toMillis(limits.wholeAnswer) - this.waitedMs)
  }

  waited(milliseconds: number): void {
    this.silentMs += milliseconds
    this.waitedMs += milliseconds
  }

  /** Of all attempts together, the pauses between them included. */
  get totalMs(): number {
    return this.waitedMs
  }

  /** The server refused, which is an answer too. */
  answered(): void {
    this.silentMs = 0
  }

  heard(): void {
    this.silentMs = 0
    this.hasBegun = true
  }

  /** What was waited for in vain, for people. */
  describe(limits: SilenceLimits): string {
    if (this.waitedMs >= Duration.toMillis(limits.wholeAnswer)) {
      return `the answer was not complete within ${Duration.format(limits.wholeAnswer)}`
    }
    return this.hasBegun
      ? `the answer stopped: nothing whole came for ${Duration.format(limits.nextEvent)}`
      : `the model did not begin to answer within ${Duration.format(limits.firstEvent)}`
  }
}
