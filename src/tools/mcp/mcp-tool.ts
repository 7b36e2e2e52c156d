/**
 * A tool of an MCP server as one of ours: declared through the same rewriting of its schema, checked against the schema
 * as the server wrote it, and run under the same policy. Servers offer thousands of tools, so that making one must cost
 * next to nothing.
 */
import { Effect, Option, Predicate, Schema } from "effect"
import { untrusted } from "../../kernel/prompt-frames.ts"
import type { McpTool } from "../../mcp/listing.ts"
import type { ServerPlace } from "../../mcp/mcp-context.ts"
import type { McpAnswer, McpHub, McpProgress } from "../../mcp/mcp-hub.ts"
import { displayName, registeredName } from "../../mcp/tool-name.ts"
import type { Part } from "../../protocol/content.ts"
import { fromJsonSchema } from "../gemini-schema.ts"
import { type CallContext, type PreparedCall, type Tool, ToolFailure, type ToolOutput } from "../tool.ts"

type Hub = McpHub["Type"]

/** What is wrong with arguments; `null` when nothing is. */
type ArgumentCheck = (args: unknown) => string | null

/** `place`: where its server is, for those who decide about calls. */
export const mcpTool = (offered: McpTool, hub: Hub, place: ServerPlace = {}): Tool => {
  const { annotations, description, inputSchema, name, server } = offered
  let compiled: Promise<ArgumentCheck> | undefined
  const check = Effect.promise(() => {
    compiled ??= compileCheck(inputSchema)
    return compiled
  })
  return {
    name: registeredName(server, name),
    aliases: [],
    classNames: [],
    displayName: displayName(server, name),
    kind: "other",
    description,
    params: null,
    jsonSchema: fromJsonSchema(inputSchema),
    annotations,
    server,
    mcpContext: { server_name: server, tool_name: name, ...place },
    prepare: (given) =>
      Effect.flatMap(check, (faultOf) => {
        const fault = faultOf(given)
        return fault === null
          ? Effect.succeed(preparedCall(offered, hub, asArguments(given)))
          : Effect.fail(new ToolFailure({ type: "invalid_tool_params", message: fault }))
      })
  }
}

const compileCheck = async (schema: McpTool["inputSchema"]): Promise<ArgumentCheck> => {
  const { argumentCheck } = await import("../json-schema-check.live.ts")
  return argumentCheck({ type: "object", ...schema })
}

/** How much of the arguments fits on the line for people. */
const SHOWN_ARGUMENT_CHARS = 200

const preparedCall = (
  { description, inputSchema, name, server }: McpTool,
  hub: Hub,
  args: Readonly<Record<string, unknown>>
): PreparedCall => ({
  description: `${name} ${JSON.stringify(args).slice(0, SHOWN_ARGUMENT_CHARS)}`,
  locations: [],
  confirmation: Effect.succeed({
    type: "mcp",
    title: `Allow ${displayName(server, name)}?`,
    serverName: server,
    toolName: name,
    toolDisplayName: displayName(server, name),
    toolArgs: args,
    toolDescription: description,
    toolParameterSchema: inputSchema
  }),
  narrowing: { by: "mcp", server, tool: name },
  run: (context) => run(hub, { server, tool: name, args }, context)
})

const run = Effect.fn("Tool.mcp.run")(function* (hub: Hub, call: AnsweredCall, { progress }: CallContext) {
  const answer = yield* Effect.mapError(
    hub.callTool({ ...call, onProgress: (news) => progress(progressText(news)) }),
    ({ message }) => new ToolFailure({ type: "mcp_tool_error", message })
  )
  const output = outputOf(answer, call)
  return Option.isSome(output) ? output.value : yield* failureOf(answer, call)
})

const asArguments = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null ? { ...given } : {}

/** A share only where the whole is known. */
const progressText = ({ message, progress, total }: McpProgress): string => {
  const done =
    total === undefined || total <= 0 ? String(progress) : `${Math.min(100, Math.round((progress / total) * 100))}%`
  return message === undefined ? done : `${done} ${message}`
}

/**
 * What a tool of a server answered, for the model and for people. Text from outside is marked as such; media is handed
 * over as media where it fits into a request. What the server says of a failure is a failure of the call.
 */
interface AnsweredCall {
  readonly server: string
  /** As the server calls it. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

const text = Schema.optional(Schema.String)

const Embedded = Schema.Struct({ uri: text, mimeType: text, text, blob: text })

const Block = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("image", "audio"), data: Schema.String, mimeType: Schema.String }),
  Schema.Struct({ type: Schema.Literal("resource"), resource: Embedded }),
  Schema.Struct({ type: Schema.Literal("resource_link"), uri: Schema.String, name: text, title: text })
)
type Block = typeof Block.Type

/** A request holds 20 MB altogether; base64 makes of 10 MiB a good 13. */
const MAX_MEDIA_CHARS = 14 * 1024 * 1024
const MAX_ERROR_CHARS = 20_000

export const outputOf = (answer: McpAnswer, call: AnsweredCall): Option.Option<ToolOutput> => {
  if (isFailure(answer)) return Option.none()
  const listed = answer.content ?? []
  if (!Array.isArray(listed)) return Option.some(unreadable(call))
  const shown = listed.map((entry) => present(entry, call))
  const parts = shown.flatMap((one) => one.parts)
  const display = shown.map((one) => one.display).join("\n")
  // Some servers give the answer only in its structured form.
  if (listed.length === 0 && answer.structuredContent !== undefined) {
    return Option.some(
      outputFrom([{ text: untrusted(json(answer.structuredContent)) }], json(answer.structuredContent))
    )
  }
  return Option.some(outputFrom(parts, display))
}

/** The model gets the call and the whole answer, so that it can correct itself; a person gets one line. */
export const failureOf = (answer: McpAnswer, call: AnsweredCall): ToolFailure => {
  const whole = json(answer)
  const response =
    whole.length > MAX_ERROR_CHARS
      ? `${whole.slice(0, MAX_ERROR_CHARS)}... [${whole.length - MAX_ERROR_CHARS} characters cut]`
      : whole
  return new ToolFailure({
    type: "mcp_tool_error",
    message: `MCP tool '${call.tool}' reported an error for the call ${json({ name: call.tool, args: call.args })}. Its response:\n${untrusted(response)}`,
    display: `Error: MCP tool '${call.tool}' of server '${call.server}' reported an error.`
  })
}

const outputFrom = (parts: ReadonlyArray<Part>, display: string): ToolOutput => {
  const texts = parts.flatMap((part) => part.text ?? []).join("\n")
  const media = parts.filter((part) => part.inlineData !== undefined)
  return {
    forModel: media.length === 0 ? texts : [...(texts === "" ? [] : [{ text: texts }]), ...media],
    display: { type: "text", text: display }
  }
}

const unreadable = ({ server, tool }: AnsweredCall): ToolOutput => {
  const said = `[Error: the MCP tool '${tool}' of server '${server}' answered with content that is not a list]`
  return { forModel: said, display: { type: "text", text: said } }
}

/** `true`, or the word; at the top or inside an `error` object. */
const isFailure = (answer: McpAnswer): boolean => {
  const nested = Predicate.hasProperty(answer.error, "isError") ? answer.error.isError : undefined
  return [answer.isError, nested].some((flag) => flag === true || flag === "true")
}

interface Presented {
  readonly parts: ReadonlyArray<Part>
  readonly display: string
}

const present = (entry: unknown, call: AnsweredCall): Presented =>
  Option.match(Schema.decodeUnknownOption(Block)(entry), {
    onNone: () => ({ parts: [], display: `[Unknown content type: ${kindOf(entry)}]` }),
    onSome: (block) => presentBlock(block, call)
  })

const presentBlock = (block: Block, call: AnsweredCall): Presented => {
  switch (block.type) {
    case "text":
      return { parts: [{ text: untrusted(block.text) }], display: block.text }
    case "image":
      return { parts: media(call, "image", block), display: `[Image: ${block.mimeType}]` }
    case "audio":
      return { parts: media(call, "audio", block), display: `[Audio: ${block.mimeType}]` }
    case "resource_link": {
      const label = block.title ?? block.name ?? block.uri
      return {
        parts: [{ text: untrusted(`Resource link: ${label} at ${block.uri}`) }],
        display: `[Link to ${label}: ${block.uri}]`
      }
    }
    case "resource":
      return presentResource(block.resource, call)
  }
}

const presentResource = (
  { blob, mimeType = "application/octet-stream", text }: typeof Embedded.Type,
  call: AnsweredCall
): Presented => {
  if (text !== undefined) return { parts: [{ text: untrusted(text) }], display: text }
  return {
    parts: blob === undefined ? [] : media(call, "embedded resource", { data: blob, mimeType }),
    display: `[Embedded Resource: ${mimeType}]`
  }
}

const media = (
  { tool }: AnsweredCall,
  kind: string,
  { data, mimeType }: { readonly data: string; readonly mimeType: string }
): ReadonlyArray<Part> =>
  data.length > MAX_MEDIA_CHARS
    ? [
        {
          text: `[Tool '${tool}' provided ${kind} data of type ${mimeType} that is left out: it is larger than 10 MiB]`
        }
      ]
    : [
        { text: `[Tool '${tool}' provided the following ${kind} data with mime-type: ${mimeType}]` },
        { inlineData: { mimeType, data } }
      ]

const kindOf = (entry: unknown): string =>
  Predicate.hasProperty(entry, "type") && typeof entry.type === "string" ? entry.type.slice(0, 50) : typeof entry

const json = (value: unknown): string => JSON.stringify(value) ?? ""
