/**
 * Which tools an agent gets of those that its caller has. Never one that starts agents, and never the topic of the
 * session: it belongs to the main agent. Pure.
 */
import { closestName } from "../../kernel/closest-name.ts"
import { registeredName } from "../../mcp/tool-name.ts"
import { canonicalName } from "../../policy/tool-names.ts"
import type { Tool } from "../../tools/tool.ts"

const NEVER: ReadonlySet<string> = new Set(["invoke_agent", "update_topic"])

export interface ToolChoice {
  readonly tools: ReadonlyArray<Tool>
  readonly warnings: ReadonlyArray<string>
}

/** What an agent has beside the tools of its caller, and may name as well. */
export interface OwnTools {
  readonly names: ReadonlyArray<string>
  readonly servers: ReadonlyArray<string>
}

/** `wanted` absent: all of them. */
export const chooseTools = (
  offered: ReadonlyArray<Tool>,
  wanted: ReadonlyArray<string> | undefined,
  own: OwnTools
): ToolChoice => {
  const allowed = offered.filter(({ name }) => !NEVER.has(name))
  if (wanted === undefined) return { tools: allowed, warnings: [] }
  const isOffered = (entry: string) => allowed.some((tool) => isMeant(entry, tool)) || isOwn(entry, own)
  const modern = wanted.map((entry) => (isOffered(entry) ? entry : modernName(entry)))
  const renamed = wanted.flatMap((entry, index) =>
    modern[index] === entry ? [] : [`${JSON.stringify(entry)} as ${JSON.stringify(modern[index])}`]
  )
  const old = renamed.length === 0 ? [] : [`its tools have other names here, and are read so: ${renamed.join(", ")}`]
  const missing = modern.filter((pattern) => !allowed.some((tool) => isMeant(pattern, tool)) && !isOwn(pattern, own))
  return {
    tools: allowed.filter((tool) => modern.some((pattern) => isMeant(pattern, tool))),
    warnings: [...old, ...missing.map((name) => missingText(name, allowed))]
  }
}

/** Servers of its own have not been asked yet. */
const isOwn = (pattern: string, { names, servers }: OwnTools): boolean =>
  pattern === "*" || names.includes(pattern) || servers.some((server) => pattern.startsWith(`mcp_${server}_`))

const missingText = (name: string, allowed: ReadonlyArray<Tool>): string => {
  if (NEVER.has(name)) return `its tools name ${name}, which no agent gets`
  const close = closestName(
    name,
    allowed.map((tool) => tool.name)
  )
  return `its tools name ${name}, and there is no such tool${close === undefined ? "" : `: did you mean ${close}?`}`
}

/** `server::tool` and `server__tool` are `mcp_server_tool` now; built-in tools may have names of another agent. */
const modernName = (entry: string): string => {
  const [, server, tool] = /^([^:]+?)(?:::|__)(.+)$/.exec(entry) ?? []
  if (server === undefined || tool === undefined) return canonicalName(entry)
  return tool === "*" ? `mcp_${server}_*` : registeredName(server, tool)
}

const isMeant = (pattern: string, { aliases, name, server }: Tool): boolean => {
  if (pattern === "*" || pattern === name || aliases.includes(pattern)) return true
  if (pattern === "mcp_*") return server !== undefined
  // Longer names are cut, so the server itself is asked where it is known.
  const [, ofServer] = /^mcp_(.+)_\*$/.exec(pattern) ?? []
  return ofServer !== undefined && server !== undefined && (server === ofServer || name.startsWith(`mcp_${ofServer}_`))
}
