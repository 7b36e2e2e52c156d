/** The system prompt and the context files of a run, from its configuration. */
import { realpathSync } from "node:fs"
import { Effect, Ref } from "effect"
import { Agents } from "../agents/agents.ts"
import type { LoadedConfig } from "../config/load.ts"
import * as ContextFiles from "../prompt/context-files.ts"
import type { IgnoreSettings } from "../prompt/ignore-check.ts"
import * as SystemPrompt from "../prompt/system-prompt.ts"
import { Skills } from "../skills/skills.ts"
import { PlanMode } from "../tools/plan-mode.ts"
import { Topic } from "../tools/topic.ts"
import type { AppInput } from "./app.ts"
import { withInstructions } from "./mcp-servers.ts"
import type { ToolPlaces } from "./tool-places.ts"

/** A folder that is not trusted contributes no context files; a `--bare` run has none at all. */
const contextFilesOf = ({ config, extensions, options }: AppInput, places: ToolPlaces) => {
  const { settings, storage, trust } = config
  return options.bare
    ? Effect.succeed(ContextFiles.none)
    : ContextFiles.make({
        fileNames: fileNamesOf(config),
        userDir: storage.userDir,
        home: config.environment.home,
        tempDir: places.tempDir,
        roots: trust.trust === "trusted" ? rootsOf(config, places) : [],
        markers: settings.get("context.memoryBoundaryMarkers"),
        importFormat: settings.get("context.importFormat"),
        extensionFiles: extensions.flatMap(({ contextFiles: files }) => files),
        scanFolders: settings.get("experimental.jitContext") ? undefined : settings.get("context.discoveryMaxDirs"),
        ignore: ignoreOf(config),
        addedRoots: Ref.get(places.addedRoots)
      })
}

/** What servers say of themselves stands behind what the project says. */
export const contextFiles = (input: AppInput, places: ToolPlaces) =>
  withInstructions(input, contextFilesOf(input, places))

export const systemPrompt = ({ config, options, person }: AppInput, places: ToolPlaces) =>
  Effect.gen(function* () {
    const planMode = yield* PlanMode
    const topic = yield* Topic
    const agents = yield* Agents
    const skills = yield* Skills
    return yield* SystemPrompt.make({
      isInteractive: person !== undefined,
      isBare: options.bare,
      isTrusted: config.trust.trust === "trusted",
      roots: rootsOf(config, places),
      addedRoots: Ref.get(places.addedRoots),
      tempDir: places.tempDir,
      plansDir: places.plansDir,
      trackerDir: places.trackerDir,
      contextFileName: fileNamesOf(config)[0] ?? DEFAULT_NAME,
      globalMemoryFile: places.memoryFile,
      showsTree: config.settings.get("context.includeDirectoryTree"),
      ignore: ignoreOf(config),
      allFiles: options.allFiles
        ? {
            contextFileNames: fileNamesOf(config),
            clean: (yield* Effect.promise(() => import("./run-secrets.ts"))).cleanerOf(config)
          }
        : undefined,
      state: Effect.gen(function* () {
        const mode = yield* planMode.mode
        const approvedPlan = yield* planMode.approvedPlan
        const { title } = yield* topic.current
        return { mode, approvedPlan, topic: title, skills: yield* skills.enabled, agents: yield* agents.entries }
      })
    })
  })

const DEFAULT_NAME = "GEMINI.md"

const fileNamesOf = ({ settings }: LoadedConfig): ReadonlyArray<string> =>
  settings.get("context.fileName") ?? [DEFAULT_NAME]

const rootsOf = ({ environment }: LoadedConfig, { includeDirectories }: ToolPlaces): ReadonlyArray<string> => [
  ...new Set([environment.cwd, ...includeDirectories.flatMap(existing)])
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
