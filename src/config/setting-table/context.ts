/** Rows of `context`: context files, extra roots, ignore rules. */

import { joinsTrustedFolders } from "../project-direction.ts"
import { concatList, count, flag, list, oneOf, setting, TextList, unionList, unsupported } from "../setting.ts"

const nameToList = (value: unknown): unknown => (typeof value === "string" ? [value] : value)

export const contextSettings = {
  "context.fileName": setting(TextList, { normalize: nameToList })(
    undefined,
    "essential",
    "Name or names of context files; replaces GEMINI.md"
  ),
  "context.importFormat": setting(oneOf("tree", "flat"))(
    "tree",
    "essential",
    "How @path imports of context files are laid out"
  ),
  "context.includeDirectoryTree": flag(true, "essential", "Folder tree in the first turn"),
  "context.discoveryMaxDirs": count(
    200,
    "useful",
    "Folders scanned for context files when experimental.jitContext is off"
  ),
  "context.memoryBoundaryMarkers": list([".git"], "essential", "Names that stop the upward search; [] = no parents"),
  "context.includeDirectories": concatList(
    [],
    "essential",
    "Extra workspace roots; missing ones skipped with warning",
    joinsTrustedFolders
  ),
  "context.loadMemoryFromIncludeDirectories": unsupported("context files of the extra roots are always read")(
    flag(false, "useful", "Context files of the extra roots on /memory reload"),
    true
  ),
  "context.fileFiltering.respectGitIgnore": flag(true, "essential", "Apply .gitignore"),
  "context.fileFiltering.respectGeminiIgnore": flag(true, "essential", "Apply .geminiignore"),
  "context.fileFiltering.enableFileWatcher": flag(false, "tui", "Live @ index"),
  "context.fileFiltering.enableRecursiveFileSearch": flag(true, "useful", "@name also looks below the working folder"),
  "context.fileFiltering.enableFuzzySearch": flag(true, "useful", "Fuzzy @ completion"),
  "context.fileFiltering.maxFileCount": count(20000, "useful", "Most paths that @ completion looks through"),
  "context.fileFiltering.customIgnoreFilePaths": unionList([], "useful", "More ignore files, strongest first")
}
