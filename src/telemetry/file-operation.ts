/** A file that a tool read, created or changed, as a record and a count. Pure. */
import { extname } from "node:path"
import { count, log, type Signal } from "./signal.ts"

export interface FileOperation {
  readonly tool: string
  readonly operation: "create" | "read" | "update"
  readonly path: string
  /** That were read or written; absent where it is no text. */
  readonly lines: number | undefined
}

/** The path itself is not told, only what kind of file it is. */
export const fileOperation = ({ lines, operation, path, tool }: FileOperation): ReadonlyArray<Signal> => {
  const facts = { operation, lines, ...kindOf(path) }
  return [
    log("gemini_cli.file_operation", `File operation: ${operation}.`, { tool_name: tool, ...facts }),
    ...count("gemini_cli.file.operation.count", facts)
  ]
}

const kindOf = (path: string) => {
  const extension = extname(path)
  return {
    mimetype: Bun.file(path).type.split(";")[0],
    extension: extension === "" ? undefined : extension,
    programming_language: languageOf(path)
  }
}

export const languageOf = (path: string): string | undefined => LANGUAGES[extname(path).toLowerCase()]

const LANGUAGES: Readonly<Record<string, string>> = {
  ".bash": "Shell",
  ".c": "C",
  ".cc": "C++",
  ".cpp": "C++",
  ".cs": "C#",
  ".css": "CSS",
  ".dart": "Dart",
  ".ex": "Elixir",
  ".go": "Go",
  ".h": "C",
  ".hpp": "C++",
  ".hs": "Haskell",
  ".html": "HTML",
  ".java": "Java",
  ".js": "JavaScript",
  ".json": "JSON",
  ".jsx": "JavaScript",
  ".kt": "Kotlin",
  ".lua": "Lua",
  ".md": "Markdown",
  ".mjs": "JavaScript",
  ".php": "PHP",
  ".pl": "Perl",
  ".py": "Python",
  ".r": "R",
  ".rb": "Ruby",
  ".rs": "Rust",
  ".scala": "Scala",
  ".sh": "Shell",
  ".sql": "SQL",
  ".swift": "Swift",
  ".toml": "TOML",
  ".ts": "TypeScript",
  ".tsx": "TypeScript",
  ".xml": "XML",
  ".yaml": "YAML",
  ".yml": "YAML"
}
