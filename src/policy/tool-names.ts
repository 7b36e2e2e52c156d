/** Names that rules may use for built-in tools, and the check for names that are probably misspelt. */
import { levenshtein } from "../kernel/levenshtein.ts"

export const BUILT_IN_TOOLS: ReadonlyArray<string> = [
  ...["list_directory", "read_file", "read_many_files", "write_file", "replace", "glob", "grep_search"],
  ...["run_shell_command", "list_background_processes", "read_background_output", "stop_background_process"],
  ...["web_fetch", "google_web_search", "save_memory", "write_todos", "ask_user", "activate_skill"],
  ...["enter_plan_mode", "exit_plan_mode", "update_topic", "invoke_agent", "read_mcp_resource", "list_mcp_resources"],
  ...["get_internal_docs", "complete_task", "tracker_create_task", "tracker_update_task", "tracker_get_task"],
  ...["tracker_list_tasks", "tracker_add_dependency", "tracker_visualize", "codebase_investigator", "cli_help"]
]

/** Older names, those of early descriptions of the program, and those of another agent whose files people bring along. */
const ALIASES: Readonly<Record<string, string>> = {
  search_file_content: "grep_search",
  edit: "replace",
  ls: "list_directory",
  grep: "grep_search",
  ripGrep: "grep_search",
  web_search: "google_web_search",
  shell: "run_shell_command",
  memory: "save_memory",
  Bash: "run_shell_command",
  Edit: "replace",
  Glob: "glob",
  Grep: "grep_search",
  LS: "list_directory",
  MultiEdit: "replace",
  Read: "read_file",
  TodoWrite: "write_todos",
  WebFetch: "web_fetch",
  WebSearch: "google_web_search",
  Write: "write_file"
}

const CLASS_NAMES: Readonly<Record<string, string>> = {
  ActivateSkillTool: "activate_skill",
  AgentTool: "invoke_agent",
  AskUserTool: "ask_user",
  EditTool: "replace",
  EnterPlanModeTool: "enter_plan_mode",
  ExitPlanModeTool: "exit_plan_mode",
  GlobTool: "glob",
  GrepTool: "grep_search",
  LSTool: "list_directory",
  LsTool: "list_directory",
  MemoryTool: "save_memory",
  ReadFileTool: "read_file",
  ReadManyFilesTool: "read_many_files",
  RipGrepTool: "grep_search",
  ShellTool: "run_shell_command",
  WebFetchTool: "web_fetch",
  WebSearchTool: "google_web_search",
  WriteFileTool: "write_file",
  WriteTodosTool: "write_todos"
}

/** The present name for an older or a class-style one. */
export const canonicalName = (name: string): string => {
  if (Object.hasOwn(ALIASES, name)) return ALIASES[name] ?? name
  return Object.hasOwn(CLASS_NAMES, name) ? (CLASS_NAMES[name] ?? name) : name
}

const MAX_DISTANCE = 3

/** The built-in tool that was probably meant; `undefined` for names that are right or belong to no built-in. */
export const probablyMeant = (name: string): string | undefined => {
  if (name.includes("*") || /^(?:mcp_|discovered_tool_)/.test(name) || BUILT_IN_TOOLS.includes(canonicalName(name)))
    return undefined
  return BUILT_IN_TOOLS.find((known) => levenshtein(known, name, MAX_DISTANCE) <= MAX_DISTANCE)
}
