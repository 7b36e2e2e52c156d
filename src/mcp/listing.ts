/**
 * What servers list: tools, prompts, resources. Decoded leniently, entry by entry: one that cannot be used is left out
 * with the reason, and the others stay.
 */
import { Either, Option, Predicate, Schema } from "effect"
import type { McpServer } from "../config/setting-schema/mcp-server.ts"

const Open = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const optionalText = Schema.optional(Schema.NullOr(Schema.String))

const Tool = Schema.Struct({
  name: Schema.String,
  title: optionalText,
  description: optionalText,
  inputSchema: Schema.optional(Schema.NullOr(Open)),
  annotations: Schema.optional(Schema.NullOr(Open))
})

const Prompt = Schema.Struct({
  name: Schema.String,
  title: optionalText,
  description: optionalText,
  arguments: Schema.optional(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          name: Schema.String,
          description: optionalText,
          required: Schema.optional(Schema.NullOr(Schema.Boolean))
        })
      )
    )
  )
})

const Resource = Schema.Struct({
  uri: Schema.String,
  name: optionalText,
  title: optionalText,
  description: optionalText,
  mimeType: optionalText
})

export interface McpTool {
  readonly server: string
  /** As the server calls it. */
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations: Readonly<Record<string, unknown>>
}

export interface McpPromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

export interface McpPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly arguments: ReadonlyArray<McpPromptArgument>
}

export interface McpResource {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType: string | undefined
}

/** Something that a server lists and that cannot be offered. */
export interface LeftOut {
  readonly name: string
  readonly because: string
}

export interface Listing<A> {
  readonly entries: ReadonlyArray<A>
  readonly leftOut: ReadonlyArray<LeftOut>
}

type ToolFilter = Pick<McpServer, "includeTools" | "excludeTools">

/** Longer descriptions are cut: they are part of every request. */
const MAX_DESCRIPTION_CHARS = 16_000
const MAX_SCHEMA_CHARS = 256 * 1024

export const readTools = (server: string, listed: ReadonlyArray<unknown>, filter: ToolFilter): Listing<McpTool> =>
  readEach(listed, (entry) =>
    Either.flatMap(decoded(Tool, entry), (tool) => {
      if (tool.name.trim() === "") return Either.left("it has no name")
      if (!isWanted(tool.name, filter)) return Either.right(Option.none())
      const inputSchema = tool.inputSchema ?? { type: "object", properties: {} }
      const fault = schemaFault(inputSchema)
      if (fault !== undefined) return Either.left(fault)
      return Either.right(
        Option.some({
          server,
          name: tool.name,
          description: bounded(tool.description ?? tool.title ?? ""),
          inputSchema,
          annotations: tool.annotations ?? {}
        })
      )
    })
  )

export const readPrompts = (server: string, listed: ReadonlyArray<unknown>): Listing<McpPrompt> =>
  readEach(listed, (entry) =>
    Either.map(decoded(Prompt, entry), (prompt) =>
      Option.some({
        server,
        name: prompt.name,
        description: bounded(prompt.description ?? prompt.title ?? ""),
        arguments: (prompt.arguments ?? []).map(({ description, name, required }) => ({
          name,
          description: bounded(description ?? ""),
          required: required === true
        }))
      })
    )
  )

export const readResources = (server: string, listed: ReadonlyArray<unknown>): Listing<McpResource> =>
  readEach(listed, (entry) =>
    Either.map(decoded(Resource, entry), (resource) =>
      Option.some({
        server,
        uri: resource.uri,
        name: resource.title ?? resource.name ?? resource.uri,
        description: bounded(resource.description ?? ""),
        mimeType: resource.mimeType ?? undefined
      })
    )
  )

/** Left: why the entry is left out. `None`: the settings do not want it. */
const readEach = <A>(
  listed: ReadonlyArray<unknown>,
  read: (entry: unknown) => Either.Either<Option.Option<A>, string>
): Listing<A> => {
  const entries: Array<A> = []
  const leftOut: Array<LeftOut> = []
  for (const entry of listed) {
    Either.match(read(entry), {
      onLeft: (because) => leftOut.push({ name: nameOf(entry), because }),
      onRight: (found) => Option.isSome(found) && entries.push(found.value)
    })
  }
  return { entries, leftOut }
}

const decoded = <A, I>(schema: Schema.Schema<A, I>, entry: unknown): Either.Either<A, string> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema)(entry), () => "it is not described as the protocol asks")

/** `excludeTools` wins. An entry of `includeTools` may have arguments in parentheses, which say nothing here. */
const isWanted = (name: string, { excludeTools = [], includeTools }: ToolFilter): boolean =>
  !excludeTools.includes(name) &&
  (includeTools === undefined || includeTools.some((entry) => entry === name || entry.startsWith(`${name}(`)))

const schemaFault = (schema: Readonly<Record<string, unknown>>): string | undefined => {
  const { type } = schema
  const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"))
  if (!isObject) return `its arguments are not an object but ${JSON.stringify(type)}`
  const size = JSON.stringify(schema).length
  return size > MAX_SCHEMA_CHARS
    ? `its schema has ${size} characters, more than the ${MAX_SCHEMA_CHARS} that can be sent with every request`
    : undefined
}

const nameOf = (entry: unknown): string => {
  const name = Predicate.hasProperty(entry, "name") ? entry.name : undefined
  return typeof name === "string" && name.trim() !== "" ? printable(name) : "(without a name)"
}

/** Control characters have no place in what a model or a terminal reads. */
const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, "")

const bounded = (text: string): string => {
  const clean = printable(text)
  return clean.length <= MAX_DESCRIPTION_CHARS
    ? clean
    : `${clean.slice(0, MAX_DESCRIPTION_CHARS)}... [${clean.length - MAX_DESCRIPTION_CHARS} characters cut]`
}
