/**
 * Which arguments of a call a person is shown beside the question itself: all of them, but for those that the question
 * contains and those that change nothing. A tool or an argument that nobody thought of here is shown.
 */
import type { ShownArgument } from "../../approval/approval.ts"
import type { Confirmation } from "../../protocol/confirmation.ts"
import { withoutCallOptions } from "../tool.ts"

interface LeftOut {
  /** The question shows their whole meaning. */
  readonly contained: ReadonlyArray<string>
  /** Whatever their value, the call does the same; with the reason. */
  readonly harmless?: Readonly<Record<string, string>>
}

export const LEFT_OUT: Readonly<Record<string, LeftOut>> = {
  run_shell_command: {
    contained: ["command", "dir_path", "is_background"],
    harmless: {
      description: "words about the command, which is shown itself",
      delay_ms: "how long the call waits for first output of a command that goes on anyway",
      modified_by_user: "only worded differently for the model"
    }
  },
  write_file: {
    contained: ["file_path", "content"],
    harmless: {
      modified_by_user: "only worded differently for the model",
      ai_proposed_content: "what a person changed: kept for the record"
    }
  },
  replace: {
    contained: ["file_path", "old_string", "new_string", "allow_multiple", "expected_replacements"],
    harmless: {
      instruction: "helps to find the place; the diff shows what was found, and only that is written",
      modified_by_user: "only worded differently for the model",
      ai_proposed_content: "what a person changed: kept for the record"
    }
  },
  save_memory: {
    contained: ["fact", "modified_content"],
    harmless: { modified_by_user: "chooses between two texts, of which the diff shows the one that is written" }
  },
  google_web_search: { contained: ["query"] },
  web_fetch: { contained: ["prompt", "url"] },
  enter_plan_mode: { contained: ["reason"] },
  invoke_agent: { contained: ["agent_name", "prompt"] },
  activate_skill: { contained: ["name"] }
}

export const argumentsBeside = (
  toolName: string,
  confirmation: Confirmation,
  args: Readonly<Record<string, unknown>>
): ReadonlyArray<ShownArgument> => {
  // A question about a tool of a server is its arguments.
  if (confirmation.type === "mcp") return []
  const leftOut = Object.hasOwn(LEFT_OUT, toolName) ? LEFT_OUT[toolName] : undefined
  return Object.entries(withoutCallOptions(args))
    .filter(([name, value]) => {
      if (value === undefined || leftOut?.contained.includes(name) === true) return false
      return !Object.hasOwn(leftOut?.harmless ?? {}, name)
    })
    .map(([name, value]) => ({ name, value: typeof value === "string" ? value : JSON.stringify(value, null, 2) }))
}
