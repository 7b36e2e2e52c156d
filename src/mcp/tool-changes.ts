/**
 * Which tools a server has redefined. A person approves a tool by what it says of itself; a server that says something
 * else later must not go unnoticed.
 */
import type { McpTool } from "./listing.ts"

/** Names of tools that are in both lists with another description, schema or annotations. */
export const changedTools = (before: ReadonlyArray<McpTool>, after: ReadonlyArray<McpTool>): ReadonlyArray<string> => {
  const known = new Map(before.map((tool) => [tool.name, definitionOf(tool)]))
  return after
    .filter((tool) => known.has(tool.name) && known.get(tool.name) !== definitionOf(tool))
    .map(({ name }) => name)
}

const definitionOf = ({ annotations, description, inputSchema }: McpTool): string =>
  JSON.stringify([description, inputSchema, annotations])
