/** The system prompt and the context files of a run, from its configuration. */
import { realpathSync } from "node:fs"
import { Context, Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { RunFolders } from "../config/run-folders.ts"
import { Secrets } from "../config/secrets.ts"
import { WorkspaceRoots } from "../config/workspace-roots.ts"
import { service } from "../kernel/layers.ts"
import { redactSecrets } from "../kernel/redact-secrets.ts"
import type { RunFacts } from "../protocol/run-facts.ts"
import { Sandbox } from "../sandbox/sandbox.ts"
import * as ContextFiles from "./context-files.ts"
import type { IgnoreSettings } from "./ignore-check.ts"
import type { PromptState } from "./section-facts.ts"
import * as SystemPrompt from "./system-prompt.ts"

/** What the instruction says of the moment, of which rooms above this one know. */
export class PromptStates extends Context.Tag("agent/prompt/PromptStates")<
  PromptStates,
  { readonly current: Effect.Effect<PromptState> }
>() {}

/** A folder that is not trusted contributes no context files; a `--bare` run has none at all. */
export const contextFiles = (config: LoadedConfig, { extensions, isBare }: Pick<RunFacts, "isBare" | "extensions">) =>
  service(
    ContextFiles.ContextFiles,
    Effect.gen(function* () {
      if (isBare) return ContextFiles.none
      const { settings, storage, trust } = config
      const { tempDir } = yield* RunFolders
      const roots = yield* WorkspaceRoots
      return yield* ContextFiles.make({
        fileNames: fileNamesOf(config),
        userDir: storage.userDir,
        home: config.environment.home,
        tempDir,
        roots: trust.trust === "trusted" ? rootsOf(config, roots) : [],
        markers: settings.get("context.memoryBoundaryMarkers"),
        importFormat: settings.get("context.importFormat"),
        extensionFiles: extensions.flatMap(({ contextFiles: files }) => files),
        scanFolders: settings.get("experimental.jitContext") ? undefined : settings.get("context.discoveryMaxDirs"),
        ignore: ignoreOf(config),
        addedRoots: roots.added
      })
    })
  )

export interface PromptFacts extends Pick<RunFacts, "isBare" | "isInteractive"> {
  /** `--all-files`. */
  readonly takesAllFiles: boolean
}

export const systemPrompt = (config: LoadedConfig, run: PromptFacts) =>
  service(SystemPrompt.SystemPrompt, makeSystemPrompt(config, run))

export const makeSystemPrompt = Effect.fnUntraced(function* (config: LoadedConfig, run: PromptFacts) {
  const { memoryFile, plansDir, tempDir, trackerDir } = yield* RunFolders
  const roots = yield* WorkspaceRoots
  const report = yield* (yield* Sandbox).report
  const { current } = yield* PromptStates
  return yield* SystemPrompt.make({
    isInteractive: run.isInteractive,
    isBare: run.isBare,
    isTrusted: config.trust.trust === "trusted",
    confinesCommands: report !== undefined && report.isWhole !== true,
    roots: rootsOf(config, roots),
    addedRoots: roots.added,
    tempDir,
    plansDir,
    trackerDir,
    contextFileName: fileNamesOf(config)[0] ?? DEFAULT_NAME,
    globalMemoryFile: memoryFile,
    showsTree: config.settings.get("context.includeDirectoryTree"),
    ignore: ignoreOf(config),
    allFiles: run.takesAllFiles ? { contextFileNames: fileNamesOf(config), clean: yield* cleaner } : undefined,
    state: current
  })
})

const cleaner = Effect.gen(function* () {
  const secrets = yield* (yield* Secrets).all
  return (text: string) => redactSecrets(text, secrets)
})

const DEFAULT_NAME = "GEMINI.md"

const fileNamesOf = ({ settings }: LoadedConfig): ReadonlyArray<string> =>
  settings.get("context.fileName") ?? [DEFAULT_NAME]

const rootsOf = ({ environment }: LoadedConfig, { included }: WorkspaceRoots["Type"]): ReadonlyArray<string> => [
  ...new Set([environment.cwd, ...included.flatMap(existing)])
]

/** The workspace warns of a folder that is not there. */
const existing = (folder: string): ReadonlyArray<string> => {
  try {
    return [realpathSync(folder)]
  } catch {
    return []
  }
}

const ignoreOf = ({ settings }: LoadedConfig): IgnoreSettings => ({
  respectGitIgnore: settings.get("context.fileFiltering.respectGitIgnore"),
  respectGeminiIgnore: settings.get("context.fileFiltering.respectGeminiIgnore"),
  customFiles: settings.get("context.fileFiltering.customIgnoreFilePaths")
})
