/** The `read_mcp_resource` tool: the content of one resource of a connected server. */
import { Effect, Schema } from "effect"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { findResource, resourceText } from "../../mcp/resource.ts"
import { defineTool, ToolFailure } from "../tool.ts"
import { untrusted } from "../untrusted.ts"

const Params = Schema.Struct({
  uri: Schema.String.pipe(Schema.minLength(1)).annotations({
    description: "The resource, as list_mcp_resources names it: server:uri, or the URI alone."
  })
})

export const readMcpResourceTool = defineTool({
  name: "read_mcp_resource",
  displayName: "Read MCP Resource",
  kind: "read",
  description: "Reads a resource of a connected MCP server.",
  params: Params,
  prepare: ({ uri }) =>
    Effect.succeed({
      description: `Read MCP resource ${uri}`,
      locations: [],
      confirmation: Effect.succeed(null),
      run: () => read(uri)
    })
})

const read = Effect.fnUntraced(function* (named: string) {
  const hub = yield* McpHub
  const resource = findResource(yield* hub.servers, named)
  if (resource === undefined) {
    return yield* new ToolFailure({
      type: "mcp_resource_not_found",
      message: `There is no resource '${named}'. list_mcp_resources names those that there are.`
    })
  }
  const answer = yield* Effect.mapError(
    hub.readResource(resource.server, resource.uri),
    ({ message }) => new ToolFailure({ type: "mcp_tool_error", message })
  )
  return {
    forModel: untrusted(resourceText(answer)),
    display: { type: "text" as const, text: `Read the resource ${resource.uri} of the server ${resource.server}.` }
  }
})
