/**
 * Folders that a run works in, beside the workspace. None of them is made here: a run that writes nothing leaves nothing.
 * Where the home folder cannot be written, and in a demo, the system's temp folder serves.
 */
import { tmpdir } from "node:os"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
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

/**
 * Where plans go by the settings, or by an extension when those do not say. Plans may be written without a question, so
 * they go nowhere but into the project: another folder is refused, and each session has its own as if nothing was said.
 */
export const plansFolder = (
  { environment, settings }: Pick<LoadedConfig, "environment" | "settings">,
  ofExtension?: string
): { readonly folder?: string; readonly refused?: string } => {
  const wanted = settings.get("general.plan.directory") ?? ofExtension
  if (wanted === undefined) return {}
  const folder = resolve(environment.cwd, wanted)
  const inside = relative(environment.cwd, folder)
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? { refused: wanted } : { folder }
}

const runFolders = (
  { environment, settings, storage }: LoadedConfig,
  { extensions, isDemo, isEphemeral, sessionId }: FolderFacts
): RunFolders["Type"] => {
  const own = isDemo || isEphemeral ? undefined : storage.plannedProjectTempDir()
  const tempDir = own ?? join(tmpdir(), `gemini-${sessionId}`)
  const ofExtension = extensions.find(({ planDirectory }) => planDirectory !== undefined)?.planDirectory
  const [memoryName = "GEMINI.md"] = settings.get("context.fileName") ?? []
  return {
    tempDir,
    plansDir: plansFolder({ environment, settings }, ofExtension).folder ?? join(tempDir, sessionId, "plans"),
    trackerDir: join(tempDir, sessionId, "tracker"),
    outputDir: join(tempDir, "tool-outputs", `session-${sessionId}`),
    memoryFile: environment.home === undefined ? undefined : join(storage.userDir, memoryName)
  }
}
