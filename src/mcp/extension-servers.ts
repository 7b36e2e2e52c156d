/**
 * Servers that extensions bring, joined with those of the settings. What the user says about a server of the same name
 * counts more, field by field; tools can only become fewer that way, never more.
 */
import { Either, Schema } from "effect"
import { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { ExtensionParts } from "../protocol/run-facts.ts"

/** Who brings a server, and the values of its settings, which the server gets as variables. */
export interface ServerOrigin {
  readonly extension: string
  readonly environment: Readonly<Record<string, string>>
}

export interface JoinedServers {
  /** Those of the settings first. */
  readonly servers: Readonly<Record<string, McpServer>>
  /** By name of the server; absent for those that are the user's alone. */
  readonly origins: Readonly<Record<string, ServerOrigin>>
  /** In words for people. */
  readonly warnings: ReadonlyArray<string>
}

type Bringing = Pick<ExtensionParts, "name" | "mcpServers" | "environment">

export const joinExtensionServers = (
  own: Readonly<Record<string, McpServer>>,
  extensions: ReadonlyArray<Bringing>
): JoinedServers => {
  const servers = new Map(Object.entries(own))
  const origins = new Map<string, ServerOrigin>()
  const warnings: Array<string> = []
  for (const extension of extensions) {
    for (const [name, written] of Object.entries(extension.mcpServers)) {
      const first = origins.get(name)
      if (first !== undefined) {
        warnings.push(
          `extension "${extension.name}": its MCP server "${name}" is left out: extension "${first.extension}" brings one of that name`
        )
        continue
      }
      const read = readServer(written)
      if (Either.isLeft(read)) {
        warnings.push(`extension "${extension.name}": its MCP server "${name}" is left out: ${read.left}`)
        continue
      }
      origins.set(name, { extension: extension.name, environment: extension.environment })
      servers.set(name, mergeServer(read.right, servers.get(name) ?? {}))
    }
  }
  return { servers: Object.fromEntries(servers), origins: Object.fromEntries(origins), warnings }
}

/** An extension cannot say that it is trusted. */
const readServer = (written: unknown): Either.Either<McpServer, string> =>
  Either.mapBoth(Schema.decodeUnknownEither(McpServer)(written), {
    onLeft: () => "its settings are not those of an MCP server",
    onRight: ({ trust: _, ...server }) => server
  })

/** `brought` by an extension, changed by what the user wrote under the same name. */
export const mergeServer = (brought: McpServer, own: McpServer): McpServer => {
  const include = intersection(brought.includeTools, own.includeTools)
  const exclude = [...new Set([...(brought.excludeTools ?? []), ...(own.excludeTools ?? [])])]
  const env = { ...brought.env, ...own.env }
  return {
    ...brought,
    ...own,
    ...(include === undefined ? {} : { includeTools: include }),
    ...(exclude.length === 0 ? {} : { excludeTools: exclude }),
    ...(Object.keys(env).length === 0 ? {} : { env })
  }
}

/** Absent: every tool. Empty: none. */
const intersection = (
  one: ReadonlyArray<string> | undefined,
  other: ReadonlyArray<string> | undefined
): ReadonlyArray<string> | undefined =>
  one === undefined || other === undefined ? (one ?? other) : one.filter((name) => other.includes(name))
