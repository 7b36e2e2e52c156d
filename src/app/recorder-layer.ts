/** The recorder of a run: where its session is kept, and what must not stand in it. Nothing of it is loaded before the first request. */
import { Effect } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import { Stderr } from "../output/stderr.ts"
import * as SessionRecorder from "../session/session-recorder.ts"
import type { AppInput } from "./app.ts"

/** `own`: credentials of this run that no variable holds. A demo is nobody's conversation. */
export const recorder = (input: AppInput, own: ReadonlyArray<Secret>) =>
  input.options.demo
    ? Effect.succeed(SessionRecorder.none)
    : Effect.flatMap(Stderr, (stderr) => {
        const { config, facts, session } = input
        return SessionRecorder.make(session?.start ?? { sessionId: facts.sessionId, kind: "main" }, {
          tempDir: config.storage.projectTempDir,
          projectHash: config.storage.projectHash,
          secrets: Effect.map(
            Effect.promise(() => import("./run-secrets.ts")),
            ({ runSecrets }) => [...runSecrets(config), ...own]
          ),
          warn: stderr.notice,
          onOpened: ({ tempDir }) =>
            Effect.flatMap(
              Effect.promise(() => import("./session-upkeep.ts")),
              ({ upkeep }) =>
                upkeep({ settings: config.settings, tempDir, current: facts.sessionId, warn: stderr.notice })
            )
        })
      })
