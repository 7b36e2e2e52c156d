/** What the start found, for `--debug`: one line for each file and choice. */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import type { LoadedConfig } from "./load.ts"

export const logConfig = ({ environment, files, trust }: LoadedConfig): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.annotateLogs(Effect.logDebug("folder"), { cwd: environment.cwd, trust: trust.trust })
    for (const { file, scope } of files) {
      const isUsed = scope !== "workspace" || trust.trust === "trusted"
      const found = existsSync(file) ? (isUsed ? "read" : "skipped: the folder is not trusted") : "absent"
      yield* Effect.annotateLogs(Effect.logDebug("settings file"), { scope, file, found })
    }
    const { dotenv } = environment
    yield* Effect.annotateLogs(Effect.logDebug(".env"), {
      file: dotenv?.file ?? "none",
      names: dotenv?.names.join(",") ?? ""
    })
  })
