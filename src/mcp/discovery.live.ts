/** Asks a server for all that it offers, page by page. */
import { Effect } from "effect"
import type { Connection, ListKind } from "./connection.live.ts"
import { McpError } from "./mcp-error.ts"
import type { McpAnswer } from "./mcp-hub.ts"

/** A server that always names a next page would be asked for ever. */
const MAX_PAGES = 1000

/** Everything of one kind; nothing where the server does not offer the kind. */
export const listAll = Effect.fnUntraced(function* (server: string, connection: Connection, kind: ListKind) {
  if (!connection.offers.has(kind)) return []
  const found: Array<unknown> = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: McpAnswer = yield* connection.request(`${kind}/list`, cursor === undefined ? {} : { cursor }, {
      during: `listing its ${kind}`
    })
    const entries = answer[kind]
    if (!Array.isArray(entries)) {
      return yield* new McpError({ server, kind: "protocol", detail: `did not answer with a list of ${kind}` })
    }
    for (const entry of entries) found.push(entry)
    const { nextCursor } = answer
    if (typeof nextCursor !== "string" || nextCursor === "" || nextCursor === cursor) return found
    cursor = nextCursor
  }
  return found
})
