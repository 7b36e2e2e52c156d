/** The back-offs of the program by name, and what the library lacks to put them together. */
import { Duration, Effect, Schedule, ScheduleDecision, ScheduleIntervals } from "effect"

/** An answer that cannot be used, or that broke off before anybody saw it, is asked for again. How often, its fault says. */
export const answerAgain = Schedule.exponential("1 second")

/** An answer to a question of our own that is no JSON. `attempts`: in all. */
export const questionAgain = (attempts: number) =>
  Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(attempts - 1))

/** Says what it is going to wait for, before it waits. */
export const told = <Out, In, R>(
  schedule: Schedule.Schedule<Out, In, R>,
  tell: (out: Out) => Effect.Effect<unknown>
): Schedule.Schedule<Out, In, R> =>
  Schedule.onDecision(schedule, (out, decision) => (ScheduleDecision.isContinue(decision) ? tell(out) : Effect.void))

/** Yields its waits too; at its end there is none. */
export const withDelay = <Out, In, R>(
  schedule: Schedule.Schedule<Out, In, R>
): Schedule.Schedule<readonly [out: Out, delay: Duration.Duration], In, R> =>
  Schedule.makeWithState(schedule.initial, (now, input, state) =>
    Effect.map(schedule.step(now, input, state), ([next, out, decision]) => {
      const start = ScheduleDecision.isDone(decision) ? now : ScheduleIntervals.start(decision.intervals)
      return [next, [out, Duration.millis(start - now)] as const, decision] as const
    })
  )

/** Each input is for one of two schedules; the other stands still. */
export const choose = <Out, Out2, In, R, R2>(
  schedule: Schedule.Schedule<Out, In, R>,
  other: Schedule.Schedule<Out2, In, R2>,
  isForOther: (input: In) => boolean
): Schedule.Schedule<Out | Out2, In, R | R2> =>
  Schedule.makeWithState<[unknown, unknown], In, Out | Out2, R | R2>(
    [schedule.initial, other.initial],
    (now, input, [state, otherState]) =>
      isForOther(input)
        ? Effect.map(other.step(now, input, otherState), ([next, out, decision]) => [[state, next], out, decision])
        : Effect.map(schedule.step(now, input, state), ([next, out, decision]) => [[next, otherState], out, decision])
  )

const PUSH_BACK = Duration.seconds(1)
const LONGEST_PUSH_BACK = Duration.seconds(60)

/** Before many requests go on together that a service has pushed back `times` in a row, where it names no time itself. */
export const pushBackDelay = (times: number): Duration.Duration =>
  Duration.min(Duration.times(PUSH_BACK, 2 ** Math.min(Math.max(0, times - 1), 10)), LONGEST_PUSH_BACK)

const FIRST_LOOK = Duration.seconds(5)
const LONGEST_LOOK = Duration.seconds(60)

/** Between two looks at something that takes minutes or hours; `times`: looks so far. */
export const lookAgainDelay = (times: number): Duration.Duration =>
  Duration.min(Duration.times(FIRST_LOOK, 1.5 ** Math.min(times, 10)), LONGEST_LOOK)
