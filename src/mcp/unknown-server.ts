/** Somebody asked for a server that no settings name. */
import { McpError } from "./mcp-error.ts"

export const unknownServer = (server: string): McpError =>
  new McpError({
    server,
    kind: "not-found",
    detail: "is not configured",
    hint: '"gemini mcp list" names those that are.'
  })
