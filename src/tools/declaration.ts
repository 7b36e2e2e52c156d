/** How a tool is presented to the model: depends on the model and on the approval mode, never on the arguments' schema. */
import type { ApprovalMode } from "../protocol/modes.ts"
import { type JsonSchema, toGeminiParameters } from "./gemini-schema.ts"
import type { Tool } from "./tool.ts"

export interface FunctionDeclaration {
  readonly name: string
  readonly description: string
  readonly parametersJsonSchema: JsonSchema
}

export interface DeclarationContext {
  /** `undefined` before a model is chosen: the older family is assumed. */
  readonly modelId: string | undefined
  readonly mode: ApprovalMode
  readonly plansDir: string
}

/** `null` for a tool that this model is not told of. */
export const declarationOf = (tool: Tool, context: DeclarationContext): FunctionDeclaration | null => {
  if (tool.name === "update_topic" && !isGemini3(context.modelId)) return null
  return {
    name: tool.name,
    description: describe(tool, context),
    parametersJsonSchema: parametersOf(tool)
  }
}

/** Plan mode is entered from outside it and left from inside. */
export const isOffered = (name: string, mode: ApprovalMode): boolean => {
  if (name === "enter_plan_mode") return mode !== "plan"
  return name !== "exit_plan_mode" || mode === "plan"
}

const isGemini3 = (modelId: string | undefined): boolean =>
  modelId !== undefined && /^(?:models\/)?gemini-3/.test(modelId)

const describe = (tool: Tool, { mode, plansDir }: DeclarationContext): string =>
  mode === "plan" && (tool.name === "write_file" || tool.name === "replace")
    ? `Plan mode is on: only Markdown plans (.md) in ${plansDir} may be written. ${tool.description}`
    : tool.description

const parametersOf = (tool: Tool): JsonSchema => {
  if (tool.jsonSchema !== undefined) return tool.jsonSchema
  return tool.params === null ? { type: "object", properties: {} } : toGeminiParameters(tool.params)
}
