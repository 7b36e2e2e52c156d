/**
 * Everything of start-up that needs Effect: the process becomes plain facts, the program runs, its exit code ends it.
 *
 * `BunRuntime.runMain` is not used: it treats SIGTERM as SIGINT and ignores SIGHUP, and the exit code must tell which
 * one it was.
 */
import { Cause, Effect, Exit, Fiber, Logger, LogLevel } from "effect"
import type { StopSignal } from "./app/outcome.ts"
import { start } from "./app/start.ts"
import type { Secret } from "./kernel/redact-secrets.ts"
import { makeStartProfile } from "./kernel/start-profile.ts"
import * as Stderr from "./output/stderr.ts"
import * as Stdout from "./output/stdout.ts"
import { ExitCode } from "./protocol/exit-code.ts"
import { SessionId } from "./protocol/ids.ts"
import type { Variables } from "./system/child-variables.ts"
import { takeVariables } from "./system/own-environment.ts"
import { isTerminal } from "./system/terminal.ts"
import { makeEarlyRecording } from "./telemetry/early-recording.ts"
import { Telemetry } from "./telemetry/telemetry.ts"

const SIGNAL_EXIT = { SIGINT: ExitCode.sigint, SIGTERM: ExitCode.sigterm, SIGHUP: ExitCode.sighup } as const

/** Signals are caught from the first moment on, by `main.ts`; one that came before anybody could heed it waits here. */
export interface SignalWatch {
  pending: StopSignal | undefined
  heed: ((signal: StopSignal) => void) | undefined
}

/** After a signal, what is under way may still be tidied up and reported; then the process ends in any case. */
const GRACE = "5 seconds"

/** A run that lasts this long, in milliseconds, is worth compiling for; a short one would only pay for it. */
const LONG_RUN = 300

/** Timers take at most this many milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

export const boot = (argv: ReadonlyArray<string>, signals: SignalWatch): void => {
  const profile = makeStartProfile()
  // Before anything is started that could look for them.
  const env = takeVariables(process.env)
  const early = makeEarlyRecording()
  let stoppedBy: StopSignal | undefined
  let received = 0
  let heedInterrupt: (() => void) | undefined
  /** What no log may show; it fills up as credentials are found. */
  const secrets: Array<Secret> = []
  const fiber = Effect.runFork(
    start({
      argv,
      env,
      platform: process.platform,
      cwd: currentFolder(),
      stdinIsTerminal: isTerminal(0),
      stdoutIsTerminal: isTerminal(1),
      stderrIsTerminal: isTerminal(2),
      sessionId: SessionId.make(crypto.randomUUID()),
      stoppedBy: () => stoppedBy,
      onInterrupt: (heed) => {
        heedInterrupt = heed
      },
      learnSecrets: (found) => void secrets.push(...found),
      profile,
      early
    }).pipe(
      Effect.provideService(Telemetry, early.recording),
      Effect.provideService(Stdout.Stdout, Stdout.make()),
      Effect.provideService(Stderr.Stderr, Stderr.make(secrets)),
      withLogging({ argv, env, secrets })
    )
  )
  setTimeout(() => Bun.unsafe.setJITPolicy(1), LONG_RUN)
  // A fiber that waits for something other than a timer or a socket would not keep the process alive.
  const keepAlive = setInterval(() => {}, LONGEST_TIMER)

  const onSignal = (signal: StopSignal) => {
    if (signal === "SIGINT" && heedInterrupt !== undefined) return heedInterrupt()
    const leave = Effect.sync((): void => {
      process.exit(SIGNAL_EXIT[signal])
    })
    // Impatience must not leave children behind: the second signal changes nothing, only a third one ends all at once.
    received += 1
    if (received === 2) return
    if (received > 2) return void Effect.runFork(leave)
    stoppedBy = signal
    Effect.runFork(Fiber.interruptFork(fiber))
    Effect.runFork(Effect.zipRight(Effect.sleep(GRACE), leave))
  }
  signals.heed = onSignal
  if (signals.pending !== undefined) onSignal(signals.pending)

  fiber.addObserver((exit) => {
    clearInterval(keepAlive)
    process.exit(Exit.match(exit, { onFailure: (cause) => exitOfFailure(cause, stoppedBy), onSuccess: (code) => code }))
  })
}

interface LoggingInput {
  readonly argv: ReadonlyArray<string>
  readonly env: Variables
  readonly secrets: ReadonlyArray<Secret>
}

/** Diagnostics of the program itself: on standard error with `--debug`, and in the file that a variable names. */
const withLogging = ({ argv, env, secrets }: LoggingInput) => {
  const onStderr = argv.includes("--debug") || argv.includes("-d") || isOn(env.DEBUG) || isOn(env.DEBUG_MODE)
  const file = env.GEMINI_DEBUG_LOG_FILE || undefined
  return <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    onStderr || file !== undefined
      ? Effect.flatMap(
          Effect.promise(() => Promise.all([import("./output/debug-log.ts"), import("./kernel/redact-secrets.ts")])),
          ([{ debugLogger }, { redactionOf }]) =>
            program.pipe(
              Logger.withMinimumLogLevel(LogLevel.Debug),
              Effect.provide(
                Logger.replace(
                  Logger.defaultLogger,
                  debugLogger({ onStderr, file, redact: (line) => redactionOf(secrets)(line) })
                )
              )
            )
        )
      : Logger.withMinimumLogLevel(program, LogLevel.None)
}

const isOn = (value: string | undefined): boolean => value === "true" || value === "1"

const currentFolder = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    // ENOENT: the folder was deleted. The run says so in the format that was asked for.
    return undefined
  }
}

/** A run that a signal interrupted has reported so; beyond that, only a fault in the reporting itself ends up here. */
const exitOfFailure = (cause: Cause.Cause<never>, stoppedBy: StopSignal | undefined): number => {
  if (stoppedBy !== undefined && Cause.isInterruptedOnly(cause)) return SIGNAL_EXIT[stoppedBy]
  Stderr.writeAtOnce(`error: internal error: ${Cause.pretty(cause)} [gemini help internal]\n`)
  return ExitCode.internal
}
