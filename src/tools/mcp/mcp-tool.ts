/**
 * A tool of an MCP server as one of ours: declared through the same rewriting of its schema, checked against the schema
 * as the server wrote it, and run under the same policy. Servers offer thousands of tools, so that making one must cost
 * next to nothing.
 */
import { Effect, Option } from "effect"
import type { McpTool } from "../../mcp/listing.ts"
import type { ServerPlace } from "../../mcp/mcp-context.ts"
import type { McpHub, McpProgress } from "../../mcp/mcp-hub.ts"
import { displayName, registeredName } from "../../mcp/tool-name.ts"
import { fromJsonSchema } from "../gemini-schema.ts"
import { type CallContext, type PreparedCall, type Tool, ToolFailure } from "../tool.ts"
import { type AnsweredCall, failureOf, outputOf } from "./mcp-result.ts"

type Hub = McpHub["Type"]

/** What is wrong with arguments; `null` when nothing is. */
type ArgumentCheck = (args: unknown) => string | null

/** `place`: where its server is, for those who decide about calls. */
export const mcpTool = (offered: McpTool, hub: Hub, place: ServerPlace = {}): Tool => {
  const { annotations, description, inputSchema, name, server } = offered
  let compiled: Promise<ArgumentCheck> | undefined
  const check = Effect.promise(() => {
    compiled ??= compileCheck(inputSchema)
    return compiled
  })
  return {
    name: registeredName(server, name),
    aliases: [],
    classNames: [],
    displayName: displayName(server, name),
    kind: "other",
    description,
    params: null,
    jsonSchema: fromJsonSchema(inputSchema),
    annotations,
    server,
    mcpContext: { server_name: server, tool_name: name, ...place },
    prepare: (given) =>
      Effect.flatMap(check, (faultOf) => {
        const fault = faultOf(given)
        return fault === null
          ? Effect.succeed(preparedCall(offered, hub, asArguments(given)))
          : Effect.fail(new ToolFailure({ type: "invalid_tool_params", message: fault }))
      })
  }
}

const compileCheck = async (schema: McpTool["inputSchema"]): Promise<ArgumentCheck> => {
  const { argumentCheck } = await import("../json-schema-check.live.ts")
  return argumentCheck({ type: "object", ...schema })
}

/** How much of the arguments fits on the line for people. */
const SHOWN_ARGUMENT_CHARS = 200

const preparedCall = (
  { description, inputSchema, name, server }: McpTool,
  hub: Hub,
  args: Readonly<Record<string, unknown>>
): PreparedCall => ({
  description: `${name} ${JSON.stringify(args).slice(0, SHOWN_ARGUMENT_CHARS)}`,
  locations: [],
  confirmation: Effect.succeed({
    type: "mcp",
    title: `Allow ${displayName(server, name)}?`,
    serverName: server,
    toolName: name,
    toolDisplayName: displayName(server, name),
    toolArgs: args,
    toolDescription: description,
    toolParameterSchema: inputSchema
  }),
  narrowing: { by: "mcp", server, tool: name },
  run: (context) => run(hub, { server, tool: name, args }, context)
})

const run = Effect.fn("Tool.mcp.run")(function* (hub: Hub, call: AnsweredCall, { progress }: CallContext) {
  const answer = yield* Effect.mapError(
    hub.callTool({ ...call, onProgress: (news) => progress(progressText(news)) }),
    ({ message }) => new ToolFailure({ type: "mcp_tool_error", message })
  )
  const output = outputOf(answer, call)
  return Option.isSome(output) ? output.value : yield* failureOf(answer, call)
})

const asArguments = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null ? { ...given } : {}

/** A share only where the whole is known. */
const progressText = ({ message, progress, total }: McpProgress): string => {
  const done =
    total === undefined || total <= 0 ? String(progress) : `${Math.min(100, Math.round((progress / total) * 100))}%`
  return message === undefined ? done : `${done} ${message}`
}
