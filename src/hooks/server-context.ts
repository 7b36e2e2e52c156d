/** What a hook learns of the server behind a tool: how it is reached, but no variables, headers or tokens. Pure. */
import type { HookedCall } from "./hooks.ts"

export type ServerConfigs = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const SHOWN = ["command", "args", "cwd", "url", "tcp"] as const

export const serverContext = ({ server, serverTool }: HookedCall, servers: ServerConfigs) => {
  if (server === undefined) return {}
  const config = Object.hasOwn(servers, server) ? (servers[server] ?? {}) : {}
  const url = config.url ?? config.httpUrl
  const known: Readonly<Record<string, unknown>> = { ...config, ...(url === undefined ? {} : { url }) }
  const facts = SHOWN.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]] as const]))
  return {
    mcp_context: {
      server_name: server,
      ...(serverTool === undefined ? {} : { tool_name: serverTool }),
      ...Object.fromEntries(facts)
    }
  }
}
