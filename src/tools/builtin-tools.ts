/**
 * All built-in tools, in the order in which the model sees them. A new tool is one file and one line here; then
 * `bun scripts/generate-declarations.ts` writes its declaration. It does not compile before `src/policy/default-rules.ts`
 * has a rule about it.
 *
 * This module is loaded when the first tool is called. What a run needs before that, names and declarations, stands in
 * the generated catalogue.
 */
import type { RuledTool } from "../policy/default-rules.ts"
import { askUser } from "./ask-user.tool.ts"
import { listBackgroundProcesses, readBackgroundOutput } from "./background.tool.ts"
import { globTool } from "./glob.tool.ts"
import { googleWebSearch } from "./google-web-search.tool.ts"
import { grepSearchTool } from "./grep-search.tool.ts"
import { listDirectoryTool } from "./list-directory.tool.ts"
import { enterPlanMode, exitPlanMode } from "./plan-mode.tool.ts"
import { readFileTool } from "./read-file.tool.ts"
import { readManyFilesTool } from "./read-many-files.tool.ts"
import { replace } from "./replace.tool.ts"
import { runShellCommand } from "./run-shell-command.tool.ts"
import { saveMemory } from "./save-memory.tool.ts"
import type { Tool } from "./tool.ts"
import {
  trackerAddDependency,
  trackerCreateTask,
  trackerGetTask,
  trackerListTasks,
  trackerUpdateTask,
  trackerVisualize
} from "./tracker/tracker.tool.ts"
import { updateTopic } from "./update-topic.tool.ts"
import { webFetch } from "./web-fetch.tool.ts"
import { webFetchDirect } from "./web-fetch-direct.tool.ts"
import { writeFile } from "./write-file.tool.ts"
import { writeTodos } from "./write-todos.tool.ts"

export const builtinTools = [
  updateTopic,
  listDirectoryTool,
  readFileTool,
  readManyFilesTool,
  grepSearchTool,
  globTool,
  replace,
  writeFile,
  webFetch,
  webFetchDirect,
  runShellCommand,
  listBackgroundProcesses,
  readBackgroundOutput,
  googleWebSearch,
  saveMemory,
  askUser,
  writeTodos,
  exitPlanMode,
  enterPlanMode,
  trackerCreateTask,
  trackerUpdateTask,
  trackerGetTask,
  trackerListTasks,
  trackerAddDependency,
  trackerVisualize
] as const satisfies ReadonlyArray<{ readonly name: RuledTool }>

/** Everything that some built-in tool needs. */
export type BuiltinServices = (typeof builtinTools)[number] extends Tool<infer R> ? R : never
