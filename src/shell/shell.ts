/**
 * Shell commands as process trees that always end, one way or the other.
 *
 * `run` waits for the command's shell; interruption, and silence longer than the limit, end the whole tree. `start` hands
 * out a running command for those who keep it in the background.
 */
import { Context, Duration, Effect, Exit, Layer, Queue } from "effect"
import { Environment, type EnvironmentView } from "../config/environment.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { readMonotonicMillis } from "../kernel/monotonic-time.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { Sandbox } from "../sandbox/sandbox.ts"
import { childVariables } from "../system/child-variables.ts"
import type { RedactionRules } from "../system/environment-redaction.ts"
import { runProgram } from "../system/programs.ts"
import { childEnvironment, type GitIdentity } from "./child-environment.ts"
import { shellProgram } from "./invocation.ts"
import {
  type ShellCommand,
  type ShellError,
  type ShellRequest,
  type ShellResult,
  startCommand,
  type Tracked
} from "./shell-command.ts"

export interface ShellRun {
  readonly result: ShellResult
  /** The tree after its shell has ended; may still have processes. */
  readonly command: ShellCommand
  /** The person left it running. */
  readonly isAside?: boolean
}

export class Shell extends Context.Tag("agent/shell/Shell")<
  Shell,
  {
    /**
     * `onLive` gets the end of the output so far: at once when there is some, then at most once a second. When `aside`
     * ends first, the command is left running, and the result is what is known of it.
     */
    readonly run: (
      request: ShellRequest,
      onLive: (text: string, pid: number) => Effect.Effect<void>,
      aside?: (command: ShellCommand) => Effect.Effect<void>
    ) => Effect.Effect<ShellRun, ShellError>
    readonly start: (request: ShellRequest) => Effect.Effect<ShellCommand, ShellError>
  }
>() {}

export interface ShellOptions {
  /** Where outputs go that are too long for memory; inside the project's temp folder. */
  readonly spillFolder: string
  /** Credentials, which those files may not hold. */
  readonly secrets?: ReadonlyArray<Secret>
  /** Longest silence of a command that is waited for; zero: no limit. */
  readonly inactivityTimeout: Duration.DurationInput
  readonly redaction: RedactionRules
  readonly pager: string
  /** Git is locked down in a folder that is not trusted. */
  readonly isTrusted: boolean
}

const LIVE_INTERVAL = Duration.seconds(1)

// The user's git identity, read from the configuration outside any project, so that no folder can supply it.

const LIMIT = "2 seconds"
const MAX_BYTES = 64 * 1024

const readGitIdentity = (environment: ShellPlace): Effect.Effect<GitIdentity> =>
  Effect.all(
    { name: readSetting(environment, "user.name"), email: readSetting(environment, "user.email") },
    { concurrency: 2 }
  )

type ShellPlace = Pick<EnvironmentView, "cwd" | "variables">

const readSetting = ({ cwd, variables }: ShellPlace, key: string): Effect.Effect<string | undefined> =>
  runProgram({
    argv: ["git", "config", "--global", "--includes", "--get", key],
    notIn: cwd,
    cwd: "/",
    env: childVariables({ inherits: variables }),
    timeout: LIMIT,
    maxOutputBytes: MAX_BYTES,
    reach: "group",
    leftovers: "end",
    grace: 0
  }).pipe(
    Effect.map(({ stdout }) => stdout.trim() || undefined),
    Effect.orElseSucceed(() => undefined)
  )

export const layer = (options: ShellOptions): Layer.Layer<Shell, never, Environment | Sandbox> =>
  Layer.scoped(
    Shell,
    Effect.gen(function* () {
      const environment = yield* Environment
      const sandbox = yield* Sandbox
      const scope = yield* Effect.scope
      const identity = yield* cachedOnce(readGitIdentity(environment))
      const program = yield* Effect.cached(
        Effect.sync(() => shellProgram(environment.platform, environment.variables, environment.cwd))
      )
      const setting = Effect.gen(function* () {
        const lockedGit = options.isTrusted ? undefined : yield* identity
        const environmentWith = (mark: string, isOwn: boolean) =>
          childEnvironment({
            isOwn,
            variables: environment.variables,
            redaction: options.redaction,
            pager: options.pager,
            lockedGit,
            mark
          })
        const { secrets = [], spillFolder } = options
        return { spillFolder, secrets, program: yield* program, environmentWith, sandbox }
      })

      return Shell.of({
        start: Effect.fn("Shell.start")(function* (request) {
          return yield* Effect.uninterruptible(startCommand(request, yield* setting, scope))
        }),
        run: Effect.fn("Shell.run")(function* (request, onLive, aside = () => Effect.never) {
          return yield* Effect.acquireUseRelease(
            startCommand(request, yield* setting, scope),
            (command) =>
              Effect.raceFirst(
                attend(command, options, onLive),
                aside(command).pipe(
                  Effect.zipRight(command.unfinished),
                  Effect.map((result): ShellRun => ({ result, command, isAside: true }))
                )
              ),
            (command, exit) => (Exit.isSuccess(exit) ? Effect.void : command.end)
          )
        })
      })
    })
  )

const attend = (
  command: Tracked,
  options: ShellOptions,
  onLive: (text: string, pid: number) => Effect.Effect<void>
): Effect.Effect<ShellRun> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(reportLive(command, onLive))
    const silence = Duration.decode(options.inactivityTimeout)
    if (Duration.equals(silence, Duration.zero)) return { result: yield* command.wait, command }
    const first = yield* Effect.raceFirst(command.wait, untilSilent(command, silence))
    if (first !== "silent") return { result: first, command }
    const tree = yield* command.end
    const result = tree.survivors.length === 0 ? yield* command.wait : yield* command.unfinished
    return { result: { ...result, timedOut: { silence, tree } }, command }
  }).pipe(Effect.scoped)

const reportLive = (command: Tracked, onLive: (text: string, pid: number) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    yield* Queue.take(command.news)
    yield* onLive(yield* command.liveText, command.pid)
    yield* Effect.sleep(LIVE_INTERVAL)
  }).pipe(Effect.forever)

const untilSilent = Effect.fnUntraced(function* (command: Tracked, silence: Duration.Duration) {
  const clock = yield* Effect.clock
  const limit = Duration.toMillis(silence)
  for (;;) {
    const left = command.isAttended() ? limit : command.lastOutputAt() + limit - readMonotonicMillis(clock)
    if (left <= 0) return "silent" as const
    yield* Effect.sleep(Duration.millis(left))
  }
})
