/** The recorder of a run: where its session is kept, and what must not stand in it. Nothing of it is loaded before the first request. */
import { Effect, Layer } from "effect"
import type { Secret } from "../kernel/redact-secrets.ts"
import { Stderr } from "../output/stderr.ts"
import * as SessionRecorder from "../session/session-recorder.ts"
import type { AppInput } from "./app.ts"

/** `own`: credentials of this run that no variable holds. A demo is nobody's conversation. */
export const recorderLayer = (input: AppInput, own: ReadonlyArray<Secret>) =>
  input.options.demo
    ? SessionRecorder.layerNone
    : Layer.unwrapEffect(
        Effect.map(Stderr, (stderr) => {
          const { config, facts, session } = input
          return SessionRecorder.layer(session?.start ?? { sessionId: facts.sessionId, kind: "main" }, {
            tempDir: config.storage.projectTempDir,
            projectHash: config.storage.projectHash,
            secrets: Effect.map(
              Effect.promise(() => import("./run-secrets.ts")),
              ({ runSecrets }) => [...own, ...runSecrets(config)]
            ),
            warn: stderr.notice
          })
        })
      )
