/**
 * How files are filtered in this run: the settings under `context.fileFiltering`, and ignore rules made from them.
 * Flags of a call win over the settings.
 */
import { Context, Effect, Layer } from "effect"
import { type IgnoreRules, ignoreRules } from "./ignore-rules.ts"
import { Workspace } from "./workspace.ts"

export interface FilterFlags {
  readonly respectGitIgnore?: boolean | undefined
  readonly respectGeminiIgnore?: boolean | undefined
}

export interface FilterSettings extends FilterFlags {
  /** Relative to the project, strongest first. */
  readonly customIgnoreFilePaths?: ReadonlyArray<string>
  readonly searchTimeoutMs?: number
  /** Names of context files: the model has their text already. */
  readonly contextFileNames?: ReadonlyArray<string>
}

export class FileFilter extends Context.Tag("agent/files/FileFilter")<
  FileFilter,
  {
    /** Fresh rules: read from disk as folders are asked about. `root` is the workspace folder that is looked at. */
    readonly rules: (root: string, flags?: FilterFlags) => Effect.Effect<IgnoreRules>
    /** The call's flags completed by the settings. */
    readonly flags: (flags?: FilterFlags) => {
      readonly respectGitIgnore: boolean
      readonly respectGeminiIgnore: boolean
    }
    /** Upper bound of one search. */
    readonly searchTimeoutMs: number
    /** Files whose text the model has already. */
    readonly contextFileNames: ReadonlyArray<string>
  }
>() {}

const MIN_SEARCH_TIMEOUT_MS = 30_000

export const layer = (settings: FilterSettings = {}): Layer.Layer<FileFilter, never, Workspace> =>
  Layer.effect(
    FileFilter,
    Effect.map(Workspace, (workspace) => {
      const complete = (flags: FilterFlags = {}) => ({
        respectGitIgnore: flags.respectGitIgnore ?? settings.respectGitIgnore ?? true,
        respectGeminiIgnore: flags.respectGeminiIgnore ?? settings.respectGeminiIgnore ?? true
      })
      return FileFilter.of({
        flags: complete,
        contextFileNames: settings.contextFileNames ?? ["GEMINI.md"],
        searchTimeoutMs: Math.max(MIN_SEARCH_TIMEOUT_MS, settings.searchTimeoutMs ?? 0),
        rules: (root, flags) =>
          Effect.sync(() => {
            // Only the project itself has ignore files of ours.
            const isProject = root === workspace.targetDir
            const { respectGeminiIgnore, respectGitIgnore } = complete(flags)
            return ignoreRules({
              root,
              respectGitIgnore,
              respectGeminiIgnore: respectGeminiIgnore && isProject,
              customFiles: isProject ? (settings.customIgnoreFilePaths ?? []) : []
            })
          })
      })
    })
  )
