/** Waits until something on this machine takes connections at a port. */
import { connect } from "node:net"
import { Effect, Schedule } from "effect"

const BETWEEN = Schedule.spaced("100 millis")

/** For ever: whoever waits has a limit. */
export const answeringPort = (port: number): Effect.Effect<void> =>
  Effect.async<boolean>((resume) => {
    const socket = connect({ host: "localhost", port })
    const end = (answers: boolean) => {
      socket.destroy()
      resume(Effect.succeed(answers))
    }
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.repeat({ schedule: BETWEEN, until: (answers) => answers }), Effect.asVoid)
