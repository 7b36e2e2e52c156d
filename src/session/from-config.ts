/** The recorder of a run: where its session is kept, and what must not stand in it. Nothing of it is loaded before the first request. */
import { join } from "node:path"
import { Clock, Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { Secrets } from "../config/secrets.ts"
import { service } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { ageOfMark, isMarkOlder } from "../kernel/time-mark.ts"
import { Notices } from "../protocol/notices.ts"
import { type RunFacts, TranscriptFile } from "../protocol/run-facts.ts"
import type { UpkeepInput } from "./browse/upkeep.ts"
import * as SessionRecorder from "./record/session-recorder.ts"

export interface RecorderFacts extends Pick<RunFacts, "sessionId" | "isDemo" | "isEphemeral" | "isInteractive"> {
  /** The session that goes on; a new one where absent. */
  readonly start: SessionRecorder.SessionStart | undefined
}

export const layer = (config: LoadedConfig, run: RecorderFacts) =>
  service(SessionRecorder.SessionRecorder, makeRecorder(config, run, markedStart(run)))

/** A session that begins without a person is a one-shot, until a person goes on with it. */
const markedStart = ({ isInteractive, sessionId, start }: RecorderFacts): SessionRecorder.SessionStart => {
  if (start === undefined) return { sessionId, kind: "main", ...(isInteractive ? {} : { oneShot: true }) }
  return { ...start, oneShot: isInteractive && start.oneShot === true ? false : undefined }
}

export const reader = SessionRecorder.SessionRecorder

/** Of a conversation that nobody keeps. */
export const unrecorded = service(SessionRecorder.SessionRecorder, Effect.succeed(SessionRecorder.none))

/** Whoever asks is told where the session is recorded. */
export const transcriptFile = service(
  TranscriptFile,
  Effect.map(SessionRecorder.SessionRecorder, ({ file }) => file)
)

/** Also for the sessions of agents, which stand beside that of the run. A demo is nobody's conversation. */
export const makeRecorder = Effect.fnUntraced(function* (
  { settings, storage }: LoadedConfig,
  { isDemo, isEphemeral, isInteractive, sessionId, start: goesOn }: RecorderFacts,
  start: SessionRecorder.SessionStart
) {
  const isOneShot = goesOn === undefined && !isInteractive
  if (isDemo || isEphemeral || (isOneShot && !settings.get("general.recordOneShots"))) return SessionRecorder.none
  const { warn } = yield* Notices
  const { all } = yield* Secrets
  return yield* SessionRecorder.make(start, {
    tempDir: storage.projectTempDir,
    projectHash: storage.projectHash,
    secrets: all,
    warn,
    onOpened: ({ tempDir }) =>
      upkeepIfDue({ settings, tempDir, mark: join(tempDir, ".retention"), current: sessionId, warn })
  })
})

/** A run that is shorter has better things to do, and does it at its end. */
const UPKEEP_AFTER = "250 millis"
const UPKEEP_AT_END = "2 seconds"

/** Old sessions are looked for at most once an hour; between that, nothing of it is loaded. */
const upkeepIfDue = (input: UpkeepInput) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const age = ageOfMark(input.mark, now)
    if (age !== undefined && !isMarkOlder(age, UPKEEP_EVERY_MS)) return
    const work = Effect.flatMap(
      lazy(() => import("./browse/upkeep.ts")),
      ({ upkeep }) => upkeep(input)
    )
    const atEnd = work.pipe(Effect.interruptible, Effect.timeoutOption(UPKEEP_AT_END), Effect.ignore)
    yield* Effect.onInterrupt(Effect.sleep(UPKEEP_AFTER), () => atEnd)
    yield* work
  })

const UPKEEP_EVERY_MS = 3_600_000
