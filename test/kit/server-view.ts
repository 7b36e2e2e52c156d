/** An MCP server that is connected and offers what the test says. */
import type { ServerView } from "../../src/mcp/mcp-hub.ts"

export const serverView = (name: string, more: Partial<ServerView> = {}): ServerView => ({
  name,
  status: "connected",
  transport: "stdio",
  target: "",
  description: undefined,
  extension: undefined,
  hasLogin: false,
  place: {},
  error: undefined,
  because: undefined,
  tools: [],
  prompts: [],
  resources: [],
  leftOut: [],
  instructions: undefined,
  warnings: [],
  ...more
})
