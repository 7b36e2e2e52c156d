/** The `list_mcp_resources` tool: which resources the connected servers offer. */
import { Effect, Schema } from "effect"
import { McpHub } from "../../mcp/mcp-hub.ts"
import { resourceName } from "../../mcp/resource.ts"
import { defineTool } from "../tool.ts"
import { untrusted } from "../untrusted.ts"

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
