/** How context files are laid before the model: the user's own in the instruction, the project's in the first message. */
import type { ContextFile } from "./context-file.ts"
import { textOf } from "./context-files.ts"

/** Empty when there is nothing to say. */
export const instructionMemory = (files: ReadonlyArray<ContextFile>): string => {
  const context = loadedContext([
    ["global_context", textOf(files, "global")],
    ["user_project_memory", textOf(files, "private")]
  ])
  return context === "" ? "" : `${HEADING}\n\n${context}`
}

const HEADING = [
  "# Context of the user",
  "What follows are instructions and notes of the user; they take precedence over defaults, never over Safety. Where they differ, the more specific wins: a sub-folder's context file, then the project's, then an extension's, then `<user_project_memory>`, then `<global_context>`."
].join("\n")

export const sessionMemory = (files: ReadonlyArray<ContextFile>): string =>
  loadedContext([
    ["extension_context", textOf(files, "extension")],
    ["project_context", textOf(files, "project")]
  ])

const loadedContext = (parts: ReadonlyArray<readonly [tag: string, text: string]>): string => {
  const filled = parts.filter(([, text]) => text !== "").map(([tag, text]) => `<${tag}>\n${text}\n</${tag}>`)
  return filled.length === 0 ? "" : ["<loaded_context>", ...filled, "</loaded_context>"].join("\n")
}
