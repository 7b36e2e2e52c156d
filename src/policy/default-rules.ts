/**
 * The rules that apply when nobody wrote any: the reading tools are free, the others ask, and the approval modes are
 * rules like all others. A user's rule of any priority is stronger than every rule here.
 */
import type { ApprovalMode } from "../protocol/modes.ts"
import { type PolicyRule, type RuleConditions, type RuleDecision, rankOf } from "./rule.ts"

const READING = [
  ...["glob", "grep_search", "list_directory", "read_file", "read_many_files", "google_web_search"],
  ...["codebase_investigator", "cli_help", "get_internal_docs", "update_topic", "complete_task", "write_todos"],
  ...["list_background_processes", "read_background_output", "read_mcp_resource", "list_mcp_resources"],
  ...["tracker_create_task", "tracker_update_task", "tracker_get_task", "tracker_list_tasks"],
  ...["tracker_add_dependency", "tracker_visualize"]
] as const
const ACTING = ["replace", "write_file", "run_shell_command", "activate_skill", "web_fetch", "save_memory"] as const
const ASKING = ["ask_user"] as const
const PLANNING = ["enter_plan_mode", "exit_plan_mode"] as const
const WRITING = ["write_file", "replace"]
const NOT_PLAN: ReadonlyArray<ApprovalMode> = ["default", "auto_edit", "yolo"]

const ONLY_PLANS = "Plan mode is on: nothing may be changed but plan files. Finish the plan with exit_plan_mode first."

const READING_AGENTS = '\\x00"agent_name":"(?:codebase_investigator|cli_help)"\\x00'

/** Names that a rule here is about. A built-in tool has one of them: what nobody decided about does not compile. */
export type RuledTool = (typeof READING | typeof ACTING | typeof ASKING | typeof PLANNING)[number]

type Details = Omit<RuleConditions, "toolName"> & Pick<PolicyRule, "allowRedirection" | "denyMessage">

const rules = (
  names: ReadonlyArray<string>,
  decision: RuleDecision,
  priority: number,
  details: Details = {}
): ReadonlyArray<PolicyRule> =>
  names.map((toolName) => ({
    toolName,
    decision,
    rank: rankOf("default", priority),
    tier: "default",
    source: "default rules",
    ...details
  }))

export const defaultRules = (): ReadonlyArray<PolicyRule> => [
  ...rules(READING, "allow", 50),
  ...rules(["invoke_agent"], "allow", 50, { modes: NOT_PLAN }),
  ...rules([...ACTING, "discovered_tool_*"], "ask_user", 10, { interactive: true }),
  ...rules([...ACTING, "discovered_tool_*"], "deny", 10, { interactive: false }),
  ...rules(WRITING, "allow", 15, { modes: ["auto_edit"] }),
  // Not wherever the model likes: an address can carry what it has read.
  ...rules(["web_fetch"], "allow", 15, { modes: ["auto_edit"], namedHosts: true }),
  ...rules(ASKING, "deny", 999, { interactive: false }),
  ...planModeRules(),
  ...rules(ASKING, "ask_user", 999, { modes: ["yolo"], interactive: true }),
  ...rules(PLANNING, "deny", 999, { modes: ["yolo"], interactive: true }),
  ...rules(["*"], "allow", 998, { modes: ["yolo"], allowRedirection: true })
]

const planModeRules = (): ReadonlyArray<PolicyRule> => {
  const plan = { modes: ["plan"] } as const
  return [
    ...rules(["enter_plan_mode"], "ask_user", 50, { interactive: true }),
    ...rules(["enter_plan_mode"], "allow", 50, { interactive: false }),
    ...rules(["enter_plan_mode"], "deny", 70, { ...plan, denyMessage: "Plan mode is already on." }),
    ...rules(["exit_plan_mode"], "deny", 50, { modes: NOT_PLAN, denyMessage: "Plan mode is not on." }),
    ...rules(["exit_plan_mode"], "ask_user", 70, { ...plan, interactive: true }),
    ...rules(["exit_plan_mode"], "allow", 70, { ...plan, interactive: false }),
    ...rules(["*"], "deny", 40, { ...plan, denyMessage: ONLY_PLANS }),
    ...rules(["*"], "ask_user", 50, { ...plan, mcpName: "*", annotations: { readOnlyHint: true }, interactive: true }),
    ...rules(["invoke_agent"], "allow", 50, { ...plan, argsPattern: new RegExp(READING_AGENTS) }),
    ...rules(["ask_user", "web_fetch", "activate_skill"], "ask_user", 50, { ...plan, interactive: true }),
    ...rules(WRITING, "allow", 70, { ...plan, isPlanFile: true }),
    ...rules(WRITING, "deny", 65, { ...plan, denyMessage: ONLY_PLANS })
  ]
}
