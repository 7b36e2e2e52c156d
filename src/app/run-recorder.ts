/** The recorder of a run: where its session is kept, and what must not stand in it. Nothing of it is loaded before the first request. */
import { join } from "node:path"
import { Clock, Effect } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import { ageOfMark, isMarkOlder } from "../kernel/time-mark.ts"
import { Stderr } from "../output/stderr.ts"
import * as SessionRecorder from "../session/session-recorder.ts"
import type { AppInput } from "./app.ts"
import type { UpkeepInput } from "./session-upkeep.ts"

/** `own`: credentials of this run that no variable holds. A demo is nobody's conversation. */
export const recorder = (input: AppInput, own: ReadonlyArray<Secret>) =>
  recorderOf(input, input.session?.start ?? { sessionId: input.facts.sessionId, kind: "main" }, own)

/** Also for the sessions of agents, which stand beside that of the run. */
export const recorderOf = (input: AppInput, start: SessionRecorder.SessionStart, own: ReadonlyArray<Secret>) =>
  input.options.demo
    ? Effect.succeed(SessionRecorder.none)
    : Effect.flatMap(Stderr, (stderr) => {
        const { config, facts } = input
        return SessionRecorder.make(start, {
          tempDir: config.storage.projectTempDir,
          projectHash: config.storage.projectHash,
          secrets: Effect.map(
            Effect.promise(() => import("./run-secrets.ts")),
            ({ runSecrets }) => [...runSecrets(config), ...own]
          ),
          warn: stderr.notice,
          onOpened: ({ tempDir }) =>
            upkeepIfDue({
              settings: config.settings,
              tempDir,
              mark: join(tempDir, ".retention"),
              current: facts.sessionId,
              warn: stderr.notice
            })
        })
      })

/** A run that is shorter has better things to do. */
const UPKEEP_AFTER = "250 millis"

/** Old sessions are looked for at most once an hour; between that, nothing of it is loaded. */
const upkeepIfDue = (input: UpkeepInput) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const age = ageOfMark(input.mark, now)
    if (age !== undefined && !isMarkOlder(age, UPKEEP_EVERY_MS)) return
    const { upkeep } = yield* Effect.promise(() => import("./session-upkeep.ts"))
    yield* upkeep(input)
  }).pipe(Effect.delay(UPKEEP_AFTER))

const UPKEEP_EVERY_MS = 3_600_000
