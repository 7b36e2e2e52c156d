/** What undoing takes from the configuration: where the journal lies, what it covers, and how much of it is kept. */
import { realpathSync } from "node:fs"
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { periodOf } from "../browse/retention.ts"
import type { RetentionLimits } from "./open-run.ts"
import { TREE_LIMITS } from "./refresh-tree.ts"
import type { SnapshotOptions } from "./snapshots.ts"

export const snapshotOptions = (
  { environment, settings, storage }: Pick<LoadedConfig, "environment" | "settings" | "storage">,
  includeDirectories: ReadonlyArray<string>,
  addedRoots: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])
): SnapshotOptions & { readonly retention: RetentionLimits } => ({
  historyDir: storage.projectHistoryDir,
  roots: Effect.map(addedRoots, (added) => [
    ...new Set([environment.cwd, ...includeDirectories, ...added].flatMap(realPath))
  ]),
  ownData: realPath(storage.userDir)[0] ?? storage.userDir,
  limits: TREE_LIMITS,
  retention: {
    maxAgeMs: periodOf(settings.get("general.undo.maxAge")) ?? Number.POSITIVE_INFINITY,
    maxBytes: settings.get("general.undo.maxSizeMB") * 1024 ** 2
  }
})

const realPath = (path: string): ReadonlyArray<string> => {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}
