/**
 * What an administrator's server says about MCP: nothing may be used, only listed servers may be used, some must be.
 * The values come with the login of an organisation; settings files cannot set them.
 */
import { Option, Schema } from "effect"
import { McpServer } from "../config/setting-schema/mcp-server.ts"

export interface McpControls {
  /** `admin.mcp.enabled` */
  readonly isEnabled: boolean
  /** `admin.mcp.config`: empty for every server. */
  readonly allowed: Readonly<Record<string, unknown>>
  /** `admin.mcp.requiredConfig` */
  readonly required: Readonly<Record<string, unknown>>
}

export interface AdministeredServers {
  readonly servers: Readonly<Record<string, McpServer>>
  /** Servers of the user that may not start. */
  readonly blocked: ReadonlySet<string>
}

export const administer = (
  servers: Readonly<Record<string, McpServer>>,
  { allowed, isEnabled, required }: McpControls
): AdministeredServers => {
  if (!isEnabled) return { servers, blocked: new Set(Object.keys(servers)) }
  const listed = readServers(allowed)
  const forced = readServers(required)
  const isOpen = Object.keys(allowed).length === 0
  const isAllowed = (name: string): boolean => isOpen || listed.has(name) || forced.has(name)
  const own = Object.entries(servers).map(([name, server]) => {
    const rule = listed.get(name)
    return [name, rule === undefined ? server : asAllowed(server, rule)] as const
  })
  return {
    servers: Object.fromEntries([...own, ...[...forced].map(([name, server]) => [name, asRequired(server)] as const)]),
    blocked: new Set(Object.keys(servers).filter((name) => !isAllowed(name)))
  }
}

/** What cannot be read allows nothing and forces nothing. */
const readServers = (written: Readonly<Record<string, unknown>>): ReadonlyMap<string, McpServer> =>
  new Map(
    Object.entries(written).flatMap(([name, value]) =>
      Option.match(Schema.decodeUnknownOption(McpServer)(value), {
        onNone: () => [],
        onSome: (server) => [[name, server] as const]
      })
    )
  )

/** Where it is reached is the administrator's word; no program of the user's takes its place. */
const asAllowed = (server: McpServer, { excludeTools, includeTools, trust, type, url }: McpServer): McpServer => {
  const {
    args: _1,
    command: _2,
    cwd: _3,
    env: _4,
    httpUrl: _5,
    tcp: _6,
    trust: _7,
    type: _8,
    url: _9,
    ...kept
  } = server
  return {
    ...kept,
    ...(url === undefined ? {} : { url }),
    ...(type === undefined ? {} : { type }),
    ...(trust === undefined ? {} : { trust }),
    ...(includeTools === undefined ? {} : { includeTools }),
    ...(excludeTools === undefined ? {} : { excludeTools })
  }
}

/** Remote only. */
const asRequired = ({ args: _1, command: _2, cwd: _3, env: _4, tcp: _5, trust = true, ...server }: McpServer) => ({
  ...server,
  trust
})
