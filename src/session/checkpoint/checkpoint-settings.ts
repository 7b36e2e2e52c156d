/** What checkpoints take from the configuration. */
import type { LoadedConfig } from "../../config/load.ts"
import { periodOf } from "../browse/retention.ts"
import type { ShadowLimits } from "./prune-shadow.ts"
import type { CheckpointPlaces } from "./save-checkpoint.ts"

type Config = Pick<LoadedConfig, "environment" | "settings" | "storage">

export const isCheckpointing = ({ settings }: Config): boolean => settings.get("general.checkpointing.enabled")

export const checkpointPlaces = ({ environment, storage }: Config): CheckpointPlaces => ({
  historyDir: storage.projectHistoryDir,
  tempDir: storage.projectTempDir,
  workTree: environment.cwd,
  path: environment.get("PATH")
})

/** They go with the sessions that they belong to, and may take as much room as the journal of undo. */
export const checkpointLimits = ({ settings }: Config): ShadowLimits => ({
  maxAgeMs: settings.get("general.sessionRetention.enabled")
    ? (periodOf(settings.get("general.sessionRetention.maxAge")) ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY,
  maxBytes: settings.get("general.undo.maxSizeMB") * 1024 ** 2
})
