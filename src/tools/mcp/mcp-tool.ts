/**
 * A tool of an MCP server as one of ours: declared through the same rewriting of its schema, checked against the schema
 * as the server wrote it, and run under the same policy.
 */
import { Effect, Option } from "effect"
import type { McpTool } from "../../mcp/listing.ts"
import type { McpHub, McpProgress } from "../../mcp/mcp-hub.ts"
import { displayName, registeredName } from "../../mcp/tool-name.ts"
import { fromJsonSchema } from "../gemini-schema.ts"
import { type Tool, ToolFailure } from "../tool.ts"
import { failureOf, outputOf } from "./mcp-result.ts"

/** How much of the arguments fits on the line for people. */
const SHOWN_ARGUMENT_CHARS = 200

export const mcpTool = Effect.fnUntraced(function* (offered: McpTool, hub: McpHub["Type"]) {
  const { annotations, description, inputSchema, name, server } = offered
  const check = yield* Effect.cached(compiledCheck(inputSchema))
  const tool: Tool = {
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
    prepare: Effect.fn("Tool.mcp.prepare")(function* (given: unknown) {
      const fault = (yield* check)(given)
      if (fault !== null) return yield* new ToolFailure({ type: "invalid_tool_params", message: fault })
      const args = asArguments(given)
      const call = { server, tool: name, args }
      return {
        description: `${name} ${JSON.stringify(args).slice(0, SHOWN_ARGUMENT_CHARS)}`,
        locations: [],
        confirmation: Effect.succeed({
          type: "mcp" as const,
          title: `Allow ${displayName(server, name)}?`,
          serverName: server,
          toolName: name,
          toolDisplayName: displayName(server, name),
          toolArgs: args,
          toolDescription: description,
          toolParameterSchema: inputSchema
        }),
        narrowing: { by: "mcp" as const, server, tool: name },
        run: ({ progress }) =>
          hub.callTool({ ...call, onProgress: (news) => progress(progressText(news)) }).pipe(
            Effect.catchTag("McpError", (error) =>
              Effect.fail(new ToolFailure({ type: "mcp_tool_error", message: error.message }))
            ),
            Effect.flatMap((answer) =>
              Option.match(outputOf(answer, call), {
                onNone: () => Effect.fail(failureOf(answer, call)),
                onSome: Effect.succeed
              })
            )
          )
      }
    })
  }
  return tool
})

const compiledCheck = (schema: McpTool["inputSchema"]) =>
  Effect.map(
    Effect.promise(() => import("../json-schema-check.live.ts")),
    ({ argumentCheck }) => argumentCheck({ type: "object", ...schema })
  )

const asArguments = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null ? { ...given } : {}

/** A share only where the whole is known. */
const progressText = ({ message, progress, total }: McpProgress): string => {
  const done =
    total === undefined || total <= 0 ? String(progress) : `${Math.min(100, Math.round((progress / total) * 100))}%`
  return message === undefined ? done : `${done} ${message}`
}
