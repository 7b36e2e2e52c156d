/** Finding resources by what people and models write, and the text of one that was read. */
import { Option, Schema } from "effect"
import type { McpResource } from "./listing.ts"
import type { McpAnswer, ServerView } from "./mcp-hub.ts"

/** As a person or a model writes it: the server tells apart what two servers call the same. */
export const resourceName = ({ server, uri }: McpResource): string => `${server}:${uri}`

/** `server:uri` first, then the URI alone, of the first server that has it. */
export const findResource = (servers: ReadonlyArray<ServerView>, named: string): McpResource | undefined => {
  const all = servers.flatMap(({ resources }) => resources)
  return all.find((resource) => resourceName(resource) === named) ?? all.find(({ uri }) => uri === named)
}

const Contents = Schema.Struct({
  contents: Schema.Array(
    Schema.Struct({
      text: Schema.optional(Schema.String),
      blob: Schema.optional(Schema.String),
      mimeType: Schema.optional(Schema.NullOr(Schema.String))
    })
  )
})

/** Texts, one after the other; binary content is only named. */
export const resourceText = (answer: McpAnswer): string =>
  Option.match(Schema.decodeUnknownOption(Contents)(answer), {
    onNone: () => "[The server answered in a form that cannot be read]",
    onSome: ({ contents }) =>
      contents
        .map(({ mimeType, text }) => text ?? `[Binary Data (${mimeType ?? "application/octet-stream"})]`)
        .join("\n")
  })
