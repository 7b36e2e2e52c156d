/** What hooks are told of the server behind a tool. Only what says which server it is; never what opens it. */
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { McpContext } from "../protocol/run-facts.ts"

export type ServerPlace = Omit<McpContext, "server_name" | "tool_name">

export const placeOf = ({ args, command, cwd, httpUrl, tcp, url }: McpServer): ServerPlace => {
  const address = httpUrl ?? url
  return {
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(address === undefined ? {} : { url: withoutCredentials(address) }),
    ...(tcp === undefined ? {} : { tcp: withoutCredentials(tcp) })
  }
}

/** User names, passwords and queries, which often carry keys, are left out. */
const withoutCredentials = (address: string): string => {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  if (url.username === "" && url.password === "" && url.search === "" && url.hash === "") return address
  return Object.assign(url, { username: "", password: "", search: "", hash: "" }).href
}
