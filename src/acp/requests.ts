/** What editors may ask for, method by method. Faults are told with the place where they are. */
import { Either, ParseResult, Schema } from "effect"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import { type EditorFault, invalidParams } from "./editor-fault.ts"
import { PromptBlock } from "./prompt-blocks.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))
const Flag = optional(Schema.Boolean)
const Presence = optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

export const Initialize = Schema.Struct({
  protocolVersion: Schema.Number,
  clientCapabilities: optional(
    Schema.Struct({
      fs: optional(Schema.Struct({ readTextFile: Flag, writeTextFile: Flag })),
      elicitation: optional(Schema.Struct({ form: Presence })),
      session: optional(Schema.Struct({ notices: Presence, compaction: Presence }))
    })
  )
})

export const Authenticate = Schema.Struct({
  methodId: Schema.String,
  _meta: optional(
    Schema.Struct({
      "api-key": optional(Schema.String),
      gateway: optional(
        Schema.Struct({
          baseUrl: Schema.optional(Schema.String),
          headers: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
        })
      )
    })
  )
})

const Named = Schema.Struct({ name: Schema.String, value: Schema.String })
const NamedServer = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("http", "sse"),
    name: Schema.String,
    url: Schema.String,
    headers: Schema.optionalWith(Schema.Array(Named), { default: () => [] })
  }),
  Schema.Struct({
    name: Schema.String,
    command: Schema.String,
    args: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
    env: Schema.optionalWith(Schema.Array(Named), { default: () => [] })
  })
)

const PLACE = {
  cwd: Schema.String,
  mcpServers: optional(Schema.Array(NamedServer)),
  additionalDirectories: optional(Schema.Array(Schema.String))
}

export const NewSession = Schema.Struct(PLACE)
export const OfSession = Schema.Struct({ sessionId: Schema.String })
export const LoadSession = Schema.Struct({ sessionId: Schema.String, ...PLACE })
export const ListSessions = Schema.Struct({ cwd: optional(Schema.String), cursor: optional(Schema.String) })
export const SetMode = Schema.Struct({ sessionId: Schema.String, modeId: Schema.String })
export const SetModel = Schema.Struct({ sessionId: Schema.String, modelId: Schema.String })
export const SetOption = Schema.Struct({ sessionId: Schema.String, configId: Schema.String, value: Schema.Unknown })
export const PromptRequest = Schema.Struct({ sessionId: Schema.String, prompt: Schema.Array(PromptBlock) })

export const decodeRequest =
  <A, I>(schema: Schema.Schema<A, I>) =>
  (params: unknown): Either.Either<A, EditorFault> =>
    Either.mapLeft(Schema.decodeUnknownEither(schema, { errors: "all" })(params), (error) =>
      invalidParams("Invalid params", ParseResult.TreeFormatter.formatErrorSync(error))
    )

/** As the settings would name them. They run in the folder of the session, trusted or not: the editor named them. */
export const serversOf = (
  servers: ReadonlyArray<typeof NamedServer.Type>,
  cwd: string
): Readonly<Record<string, McpServer>> =>
  Object.fromEntries(
    servers.map((server) => [
      server.name,
      "url" in server
        ? { url: server.url, type: server.type, headers: recordOf(server.headers) }
        : { command: server.command, args: server.args, env: recordOf(server.env), cwd }
    ])
  )

const recordOf = (pairs: ReadonlyArray<typeof Named.Type>): Readonly<Record<string, string>> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
