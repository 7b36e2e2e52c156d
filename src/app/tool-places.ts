/** Folders that tools work in, beside the workspace. Where the home folder cannot be written, the system's temp folder serves. */
import { homedir, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect } from "effect"
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
}

export const toolPlaces = Effect.fnUntraced(function* (
  { environment, settings, storage }: LoadedConfig,
  run: { readonly sessionId: SessionId; readonly includeDirectories: ReadonlyArray<string> }
) {
  const tempDir = yield* Effect.orElseSucceed(storage.projectTempDir, () => join(tmpdir(), `gemini-${run.sessionId}`))
  const ownPlans = settings.get("general.plan.directory")
  const [memoryName = "GEMINI.md"] = settings.get("context.fileName") ?? []
  const expanded = [...settings.get("context.includeDirectories"), ...run.includeDirectories].map((path) =>
    resolve(environment.cwd, expandHome(path, environment.home))
  )
  return {
    tempDir,
    plansDir: ownPlans === undefined ? join(tempDir, run.sessionId, "plans") : resolve(environment.cwd, ownPlans),
    trackerDir: join(tempDir, run.sessionId, "tracker"),
    outputDir: join(tempDir, "tool-outputs", `session-${run.sessionId}`),
    memoryFile: environment.home === undefined ? undefined : join(storage.userDir, memoryName),
    includeDirectories: expanded
  } satisfies ToolPlaces
})

const expandHome = (path: string, home: string | undefined): string =>
  path.replace(/^(~|%userprofile%)(?=$|[/\\])/i, () => home ?? homedir())
