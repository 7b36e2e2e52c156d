/**
 * Folders that a run works in, beside the workspace. None of them is made here: a run that writes nothing leaves nothing.
 * Where the home folder cannot be written, and in a demo, the system's temp folder serves.
 */
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Context, Effect } from "effect"
import { service } from "../kernel/layers.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import type { LoadedConfig } from "./load.ts"

export class RunFolders extends Context.Tag("agent/config/RunFolders")<
  RunFolders,
  {
    /** The project's own folder under `~/.gemini/tmp`. */
    readonly tempDir: string
    readonly plansDir: string
    readonly trackerDir: string
    /** Outputs that were too long for the model. */
    readonly outputDir: string
    /** `~/.gemini/GEMINI.md`, or the first configured name. */
    readonly memoryFile: string | undefined
  }
>() {}

type FolderFacts = Pick<RunFacts, "sessionId" | "isDemo" | "isEphemeral" | "extensions">

export const layer = (config: LoadedConfig, run: FolderFacts) =>
  service(
    RunFolders,
    Effect.sync(() => runFolders(config, run))
  )

/** Where plans go when the settings do not say: an extension may. */
const runFolders = (
  { environment, settings, storage }: LoadedConfig,
  { extensions, isDemo, isEphemeral, sessionId }: FolderFacts
): RunFolders["Type"] => {
  const own = isDemo || isEphemeral ? undefined : storage.plannedProjectTempDir()
  const tempDir = own ?? join(tmpdir(), `gemini-${sessionId}`)
  const ofExtension = extensions.find(({ planDirectory }) => planDirectory !== undefined)?.planDirectory
  const ownPlans = settings.get("general.plan.directory") ?? ofExtension
  const [memoryName = "GEMINI.md"] = settings.get("context.fileName") ?? []
  return {
    tempDir,
    plansDir: ownPlans === undefined ? join(tempDir, sessionId, "plans") : resolve(environment.cwd, ownPlans),
    trackerDir: join(tempDir, sessionId, "tracker"),
    outputDir: join(tempDir, "tool-outputs", `session-${sessionId}`),
    memoryFile: environment.home === undefined ? undefined : join(storage.userDir, memoryName)
  }
}
