/**
 * The name under which a tool of a server is known to the model and to rules: `mcp_<server>_<tool>`, with characters
 * that the API refuses as `_` and the middle cut out of long ones. Names are not taken apart again: whoever needs the
 * server asks the tool.
 */
const PREFIX = "mcp_"
const LONGEST = 63
const KEPT_AT_EACH_END = 30

export const registeredName = (server: string, tool: string): string => {
  const plain = `${server}_${tool}`.replace(/[^A-Za-z0-9_.:-]/g, "_")
  const name = plain.startsWith(PREFIX) ? plain : `${PREFIX}${plain}`
  return name.length <= LONGEST ? name : `${name.slice(0, KEPT_AT_EACH_END)}...${name.slice(-KEPT_AT_EACH_END)}`
}

/** For people. */
export const displayName = (server: string, tool: string): string => `${tool} (${server} MCP Server)`
