/** `list_mcp_resources` and `read_mcp_resource`: what connected servers have to read, and the content of one. */
import { Effect, Schema } from "effect"
import { untrusted } from "../../kernel/prompt-frames.ts"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { findResource, resourceName, resourceText } from "../../mcp/resource.ts"
import { defineTool, ToolFailure } from "../tool.ts"

const Params = Schema.Struct({
  serverName: Schema.optional(
    Schema.String.annotations({ description: "Only the resources of this server. All servers without it." })
  )
})

export const listMcpResourcesTool = defineTool({
  name: "list_mcp_resources",
  displayName: "List MCP Resources",
  kind: "search",
  description: "Lists the resources that connected MCP servers offer; read_mcp_resource reads one.",
  params: Params,
  prepare: ({ serverName }) =>
    Effect.succeed({
      description: serverName === undefined ? "List MCP resources" : `List MCP resources of ${serverName}`,
      locations: [],
      confirmation: Effect.succeed(null),
      run: () => list(serverName)
    })
})

const list = Effect.fnUntraced(function* (serverName: string | undefined) {
  const hub = yield* McpHub
  const resources = (yield* hub.servers)
    .filter(({ name }) => serverName === undefined || name === serverName)
    .flatMap((server) => server.resources)
  const lines = resources.map((resource) =>
    [`- ${resourceName(resource)}`, resource.name, ...(resource.description === "" ? [] : [resource.description])].join(
      " | "
    )
  )
  if (lines.length === 0) {
    const nothing = `No resources${serverName === undefined ? "" : ` of the server '${serverName}'`} were found.`
    return { forModel: nothing, display: { type: "text" as const, text: nothing } }
  }
  return {
    forModel: untrusted(lines.join("\n")),
    display: { type: "text" as const, text: `Found ${lines.length} resource(s).` }
  }
})

const ReadParams = Schema.Struct({
  uri: Schema.String.pipe(Schema.minLength(1)).annotations({
    description: "The resource, as list_mcp_resources names it: server:uri, or the URI alone."
  })
})

/** The `read_mcp_resource` tool: the content of one resource of a connected server. */
export const readMcpResourceTool = defineTool({
  name: "read_mcp_resource",
  displayName: "Read MCP Resource",
  kind: "read",
  description: "Reads a resource of a connected MCP server.",
  params: ReadParams,
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
