/** What checkpoints take from the configuration. */
import type { LoadedConfig } from "../../config/load.ts"
import { periodOf } from "../browse/retention.ts"
import type { CheckpointPlaces } from "./save-checkpoint.ts"

type Config = Pick<LoadedConfig, "environment" | "settings" | "storage">

export const isCheckpointing = ({ settings }: Config): boolean => settings.get("general.checkpointing.enabled")

export const checkpointPlaces = ({ environment, storage }: Config): CheckpointPlaces => ({
  historyDir: storage.projectHistoryDir,
  tempDir: storage.projectTempDir,
  workTree: environment.cwd,
  path: environment.get("PATH")
})

/** They go with the sessions that they belong to. */
export const checkpointMaxAgeMs = ({ settings }: Config): number =>
  settings.get("general.sessionRetention.enabled")
    ? (periodOf(settings.get("general.sessionRetention.maxAge")) ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY
