/**
 * The journal by which runs are taken back, from the configuration. Its code is loaded at the first call that may change
 * a file.
 */
import { Context, Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { Secrets } from "../../config/secrets.ts"
import { WorkspaceRoots } from "../../config/workspace-roots.ts"
import { service } from "../../kernel/layers.ts"
import { lazy } from "../../kernel/lazy.ts"
import type { RunFacts } from "../../protocol/run-facts.ts"
import { SessionRecorder } from "../record/session-recorder.ts"
import * as ChangeJournal from "./change-journal.ts"

/** Nothing is kept of a run that is to leave nothing. */
export const layer = (config: LoadedConfig, { isEphemeral }: Pick<RunFacts, "isEphemeral">) =>
  isEphemeral ? ChangeJournal.layerNone : recordingLayer(config)

const recordingLayer = (config: LoadedConfig) =>
  service(
    ChangeJournal.ChangeJournal,
    Effect.gen(function* () {
      const services = Context.pick(
        SessionRecorder,
        WorkspaceRoots,
        Secrets
      )(yield* Effect.context<SessionRecorder | WorkspaceRoots | Secrets>())
      return yield* ChangeJournal.make(
        Effect.flatMap(
          lazy(() => import("./record-changes.ts")),
          ({ recordChanges }) => Effect.provide(recordChanges(config), services)
        )
      )
    })
  )
