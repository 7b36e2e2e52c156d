/** The question whether a call may run, as a line of stream-json for whoever answers on the input stream. */
import type { ApprovalQuestion } from "../approval/approval.ts"
import { jsonText } from "../kernel/readable-text.ts"
import type { Confirmation } from "../protocol/confirmation.ts"
import type { StreamEvent } from "./run-documents.ts"

export const permissionRequest = (question: ApprovalQuestion, timestamp: string): string => {
  const { agent, arguments: besides, callId, confirmation, toolName, why } = question
  const line: StreamEvent = {
    type: "permission_request",
    timestamp,
    tool_id: callId,
    tool_name: toolName,
    parameters: { ...shownOf(confirmation), ...Object.fromEntries(besides.map(({ name, value }) => [name, value])) },
    question: agent === undefined ? confirmation.title : `${agent}: ${confirmation.title}`,
    rule: why
  }
  return `${jsonText(line)}\n`
}

const shownOf = (confirmation: Confirmation): Readonly<Record<string, unknown>> => {
  switch (confirmation.type) {
    case "exec":
      return {
        command: confirmation.command,
        ...(confirmation.folder === undefined ? {} : { folder: confirmation.folder })
      }
    case "sandbox_expansion":
      return {
        command: confirmation.command,
        ...(confirmation.folder === undefined ? {} : { folder: confirmation.folder }),
        additional_permissions: confirmation.additionalPermissions,
        opens: confirmation.opens,
        origin: confirmation.origin
      }
    case "edit":
      return { file_path: confirmation.diff.filePath, diff: confirmation.diff.fileDiff }
    case "mcp":
      return { server: confirmation.serverName, arguments: confirmation.toolArgs }
    case "info":
      return { prompt: confirmation.prompt, urls: confirmation.urls }
    case "exit_plan_mode":
      return { plan: confirmation.planPath }
    case "ask_user":
      return {}
  }
}
