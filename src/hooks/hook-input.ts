/**
 * What a hook reads on its standard input: one JSON document, the same fields at every event and a few of its own.
 * In a sequence, the answer of one hook changes what the next one reads.
 */
import { Predicate } from "effect"
import type { Confirmation } from "../protocol/confirmation.ts"
import type { HookInputDocument } from "./hook-documents.ts"
import type { HookOutput } from "./result.ts"

export type BaseInput = typeof HookInputDocument.Type

export type HookInput = BaseInput & Readonly<Record<string, unknown>>

/** What the next hook of a sequence reads. */
export const afterOutput = (input: HookInput, { specific }: HookOutput): HookInput => {
  switch (input.hook_event_name) {
    case "BeforeAgent": {
      const context = specific?.additionalContext
      return typeof context === "string" ? { ...input, prompt: `${String(input.prompt)}\n\n${context}` } : input
    }
    case "BeforeModel":
      return withChanges(input, "llm_request", specific?.llm_request)
    case "BeforeTool":
      return withChanges(input, "tool_input", specific?.tool_input)
    default:
      return input
  }
}

const withChanges = (input: HookInput, name: string, changes: unknown): HookInput => {
  const before = input[name]
  return Predicate.isReadonlyRecord(before) && Predicate.isReadonlyRecord(changes)
    ? { ...input, [name]: { ...before, ...changes } }
    : input
}

/** What is asked, in the words of the reference. */
export const confirmationDetails = (confirmation: Confirmation): Readonly<Record<string, unknown>> => {
  const { title, type } = confirmation
  switch (confirmation.type) {
    case "edit": {
      const { fileDiff, fileName, filePath, newContent, originalContent } = confirmation.diff
      return { type, title, fileName, filePath, fileDiff, originalContent, newContent, isModifying: false }
    }
    case "exec":
      return { type, title, command: confirmation.command, rootCommand: confirmation.rootCommands.join(", ") }
    case "sandbox_expansion": {
      const { additionalPermissions, command, rootCommands } = confirmation
      return { type, title, command, rootCommand: rootCommands.join(", "), additionalPermissions }
    }
    case "mcp": {
      const { serverName, toolDisplayName, toolName } = confirmation
      return { type, title, serverName, toolName, toolDisplayName }
    }
    case "info":
      return { type, title, prompt: confirmation.prompt, urls: confirmation.urls }
    default:
      return { type, title }
  }
}

export const confirmationMessage = (confirmation: Confirmation): string => {
  switch (confirmation.type) {
    case "edit":
      return `Tool ${confirmation.title} requires editing ${confirmation.diff.fileName}`
    case "exec":
      return `Tool ${confirmation.title} requires execution of ${confirmation.command}`
    case "sandbox_expansion":
      return `Tool Shell requires ${confirmation.opens} in the sandbox for ${confirmation.command}`
    case "mcp":
      return `Tool ${confirmation.title} requires MCP server ${confirmation.serverName}`
    default:
      return `Tool ${confirmation.title} requires confirmation`
  }
}
