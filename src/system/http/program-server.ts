/**
 * A listener for programs: requests with bodies, answers that stream. Who may ask is decided by whoever answers; how
 * much may be sent is decided here. Whoever started another one waits for its port.
 */

import { connect } from "node:net"
import { Effect, Predicate, Schedule, type Scope } from "effect"
import { messageOf } from "../../kernel/cause-chain.ts"

export interface ProgramServerOptions {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** More is refused with 413 before it is held. */
  readonly maxBodyBytes: number
  readonly answer: (request: Request, port: number) => Promise<Response>
}

/** Both addresses of this machine, under whichever a client looks for it. */
const OTHER_LOOPBACK = "::1"
const LOOPBACK = "127.0.0.1"

/** Gives the port. Fails with a reason for people. What is under way when the scope ends is cut. */
export const serveProgram = (options: ProgramServerOptions): Effect.Effect<number, string, Scope.Scope> =>
  Effect.gen(function* () {
    const { host } = options
    const port = yield* listen(options)
    // Not every machine has the other one, and nobody needs it.
    if (host === LOOPBACK) yield* Effect.ignore(listen({ ...options, host: OTHER_LOOPBACK, port }))
    return port
  })

const listen = ({ answer, host, maxBodyBytes, port: wanted }: ProgramServerOptions) =>
  Effect.acquireRelease(
    Effect.try({
      try: () =>
        Bun.serve({
          hostname: host,
          port: wanted,
          maxRequestBodySize: maxBodyBytes,
          // A stream of events may be silent for as long as a person thinks.
          idleTimeout: 0,
          fetch: (request, { port = wanted }) => answer(request, port),
          error: () => new Response("refused", { status: 500 })
        }),
      catch: (cause) =>
        Predicate.hasProperty(cause, "code") && cause.code === "EADDRINUSE"
          ? `port ${wanted} is in use`
          : `no listener on ${host}, port ${wanted}: ${messageOf(cause)}`
    }),
    (running) => Effect.promise(() => running.stop(true))
  ).pipe(Effect.map(({ port = wanted }) => port))

/** Waits until something on this machine takes connections at a port. */
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
