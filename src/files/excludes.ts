/** Names that searches never look into, and what a read of many files leaves out besides. */

/** Never searched: generated or private folders of tools. */
export const CORE_FOLDERS = ["node_modules", ".git", "bower_components", ".svn", ".hg"] as const

/** Build output and editor folders. */
export const EXTRA_FOLDERS = [".vscode", ".idea", "dist", "build", "coverage", "__pycache__"] as const

/** Left out of text search besides the folders. */
export const SEARCH_FILES = ["*.log", "*.tmp"] as const

const BINARY_EXTENSIONS =
  "bin exe dll so dylib class jar war zip tar gz bz2 rar 7z pak rpa doc docx xls xlsx ppt pptx odt ods odp".split(" ")

/** Left out when many files are read at once. */
export const MANY_FILES_EXCLUDES: ReadonlyArray<string> = [
  ...[...CORE_FOLDERS, ...EXTRA_FOLDERS].map((name) => `**/${name}/**`),
  ...BINARY_EXTENSIONS.map((extension) => `**/*.${extension}`),
  "**/*.pyc",
  "**/*.pyo",
  "**/.DS_Store",
  "**/.env"
]

export const isBinaryExtension = (extension: string): boolean =>
  BINARY_EXTENSIONS.includes(extension.replace(/^\./, "").toLowerCase())
