/**
 * Which tools an agent gets of those that its caller has. Never one that starts agents, and never the topic of the
 * session: it belongs to the main agent. Pure.
 */
import { registeredName } from "../../mcp/tool-name.ts"
import type { Tool } from "../../tools/tool.ts"

const NEVER: ReadonlySet<string> = new Set(["invoke_agent", "update_topic"])

export interface ToolChoice {
  readonly tools: ReadonlyArray<Tool>
  readonly warnings: ReadonlyArray<string>
}

/** `wanted` absent: all of them. */
export const chooseTools = (offered: ReadonlyArray<Tool>, wanted: ReadonlyArray<string> | undefined): ToolChoice => {
  const allowed = offered.filter(({ name }) => !NEVER.has(name))
  if (wanted === undefined) return { tools: allowed, warnings: [] }
  const modern = wanted.map(modernName)
  const warnings = wanted.flatMap((entry, index) =>
    modern[index] === entry
      ? []
      : [`${JSON.stringify(entry)} is an old spelling: write ${JSON.stringify(modern[index])}`]
  )
  return { tools: allowed.filter((tool) => modern.some((pattern) => isMeant(pattern, tool))), warnings }
}

/** `server::tool` is `mcp_server_tool` now. */
const modernName = (entry: string): string => {
  const [, server, tool] = /^([^:]+)::(.+)$/.exec(entry) ?? []
  if (server === undefined || tool === undefined) return entry
  return tool === "*" ? `mcp_${server}_*` : registeredName(server, tool)
}

const isMeant = (pattern: string, { aliases, name, server }: Tool): boolean => {
  if (pattern === "*" || pattern === name || aliases.includes(pattern)) return true
  if (pattern === "mcp_*") return server !== undefined
  // Longer names are cut, so the server itself is asked where it is known.
  const [, ofServer] = /^mcp_(.+)_\*$/.exec(pattern) ?? []
  return ofServer !== undefined && server !== undefined && (server === ofServer || name.startsWith(`mcp_${ofServer}_`))
}
