/**
 * Processes that go on while the conversation does: started in the background, or left behind by a command (`server &`).
 * Each has a log that can be read, an entry in the history of the session, and an end: when the session ends they are
 * ended too, unless the user wants to keep them.
 */
import { Context, type Duration, Effect, Exit, Layer, Ref } from "effect"
import type { LogTail } from "./background-log.ts"
import {
  type BackgroundError,
  type BackgroundOptions,
  type BackgroundProcess,
  type BackgroundStart,
  endRunning,
  newOutputFile,
  readOutput,
  type Store,
  settleOrTrack,
  type TrackedProcess,
  track,
  untilGone
} from "./background-tracking.ts"
import { Shell, type ShellRun } from "./shell.ts"
import type { ShellCommand, ShellError, ShellRequest } from "./shell-command.ts"

export class BackgroundProcesses extends Context.Tag("agent/shell/BackgroundProcesses")<
  BackgroundProcesses,
  {
    /** Starts a command and waits for at most `delay`. Interruption within it ends the command. */
    readonly start: (request: ShellRequest, delay: Duration.Duration) => Effect.Effect<BackgroundStart, ShellError>
    /** Takes over the jobs that a command left behind when its shell ended. */
    readonly adoptJobs: (run: ShellRun) => Effect.Effect<void>
    /** Takes over a command that the person left running. */
    readonly adopt: (command: ShellCommand) => Effect.Effect<BackgroundProcess>
    /** All of the session that are remembered, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<BackgroundProcess>>
    /** Only processes of this session can be read. */
    readonly readOutput: (pid: number, lines: number) => Effect.Effect<LogTail, BackgroundError>
    /** Texts for the model about processes that ended since the last call, as the settings want them. */
    readonly drainNotices: Effect.Effect<ReadonlyArray<string>>
    /** Ends what is still running and gives it back; gives back nothing where processes are kept. */
    readonly endAll: Effect.Effect<ReadonlyArray<BackgroundProcess>>
  }
>() {}

export const layer = (options: BackgroundOptions): Layer.Layer<BackgroundProcesses, never, Shell> =>
  Layer.scoped(
    BackgroundProcesses,
    Effect.gen(function* () {
      const shell = yield* Shell
      const store: Store = {
        options,
        scope: yield* Effect.scope,
        history: yield* Ref.make<ReadonlyArray<TrackedProcess>>([]),
        notices: yield* Ref.make<ReadonlyArray<string>>([])
      }
      const endAll = endRunning(store)
      yield* Effect.addFinalizer(() => endAll)

      return BackgroundProcesses.of({
        start: Effect.fn("BackgroundProcesses.start")(function* (request, delay) {
          const outputFile = options.keep ? yield* newOutputFile(options.logFolder) : undefined
          return yield* Effect.acquireUseRelease(
            shell.start(outputFile === undefined ? request : { ...request, outputFile }),
            (command) => settleOrTrack(store, command, delay, outputFile),
            (command, exit) => (Exit.isSuccess(exit) ? Effect.void : command.end)
          )
        }),
        adoptJobs: Effect.fn("BackgroundProcesses.adoptJobs")(function* ({ command, result }) {
          for (const pid of result.backgroundPids) {
            yield* track(store, { pid, command, outputFile: undefined, untilEnded: untilGone(pid) })
          }
        }),
        adopt: Effect.fn("BackgroundProcesses.adopt")(function* (command) {
          return yield* track(store, { pid: command.pid, command, outputFile: undefined, untilEnded: command.wait })
        }),
        list: Ref.get(store.history).pipe(Effect.map((entries) => entries.map((entry) => entry.process))),
        readOutput: Effect.fn("BackgroundProcesses.readOutput")(function* (pid, lines) {
          return yield* readOutput(store, pid, lines)
        }),
        drainNotices: Ref.getAndSet(store.notices, []),
        endAll
      })
    })
  )
