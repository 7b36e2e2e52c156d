/**
 * Folders that tools work in, beside the workspace. None of them is made here: a run that writes nothing leaves nothing.
 * Where the home folder cannot be written, and in a demo, the system's temp folder serves.
 */
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Ref } from "effect"
import { includeDirectories } from "../config/include-directories.ts"
import type { LoadedConfig } from "../config/load.ts"
import type { SessionId } from "../protocol/ids.ts"

export interface ToolPlaces {
  /** The project's own folder under `~/.gemini/tmp`. */
  readonly tempDir: string
  readonly plansDir: string
  readonly trackerDir: string
  /** Outputs that were too long for the model. */
  readonly outputDir: string
  /** `~/.gemini/GEMINI.md`, or the first configured name. */
  readonly memoryFile: string | undefined
  readonly includeDirectories: ReadonlyArray<string>
  /** Folders that joined the workspace since the run began, real paths: one list for all who must know. */
  readonly addedRoots: Ref.Ref<ReadonlyArray<string>>
}

export interface PlacesOfRun {
  readonly sessionId: SessionId
  readonly includeDirectories: ReadonlyArray<string>
  /** A demo is nobody's conversation. */
  readonly isDemo: boolean
  /** Where plans go when the settings do not say: an extension may. */
  readonly plansFallback: string | undefined
}

export const toolPlaces = (config: LoadedConfig, run: PlacesOfRun): ToolPlaces => {
  const { environment, settings, storage } = config
  const own = run.isDemo ? undefined : storage.plannedProjectTempDir()
  const tempDir = own ?? join(tmpdir(), `gemini-${run.sessionId}`)
  const ownPlans = settings.get("general.plan.directory") ?? run.plansFallback
  const [memoryName = "GEMINI.md"] = settings.get("context.fileName") ?? []
  return {
    tempDir,
    plansDir: ownPlans === undefined ? join(tempDir, run.sessionId, "plans") : resolve(environment.cwd, ownPlans),
    trackerDir: join(tempDir, run.sessionId, "tracker"),
    outputDir: join(tempDir, "tool-outputs", `session-${run.sessionId}`),
    memoryFile: environment.home === undefined ? undefined : join(storage.userDir, memoryName),
    includeDirectories: [...new Set(includeDirectories(config, run.includeDirectories))],
    addedRoots: Ref.unsafeMake<ReadonlyArray<string>>([])
  }
}
