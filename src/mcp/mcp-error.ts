/** What can go wrong with an MCP server. A server that fails costs its own tools, never the run. */
import { Schema } from "effect"

export const McpErrorKind = Schema.Literal(
  /** Its entry in the settings cannot be used. */
  "config",
  /** The program could not be started. */
  "spawn",
  /** The program ended. */
  "exited",
  /** No answer in time. */
  "timeout",
  /** 401: it wants a login, or does not accept the one it got. */
  "unauthorized",
  /** 403 */
  "forbidden",
  /** Another HTTP status. */
  "http",
  /** It could not be reached: name, port, certificate. */
  "network",
  /** It answered, but not what the protocol asks for; or it refused the request. */
  "protocol",
  /** One message was larger than can be taken. */
  "too-large",
  /** The connection is gone. */
  "closed",
  /** Nothing of that name: server, tool, resource, prompt. */
  "not-found"
)
export type McpErrorKind = typeof McpErrorKind.Type

export class McpError extends Schema.TaggedError<McpError>()("McpError", {
  server: Schema.String,
  kind: McpErrorKind,
  /** Completes "the server …", without a full stop. */
  detail: Schema.String,
  /** What to do about it, as a sentence. */
  hint: Schema.optional(Schema.String),
  /** Of the HTTP answer. */
  status: Schema.optional(Schema.Number),
  /** `WWW-Authenticate` of a 401: it may say where to log in. */
  challenge: Schema.optional(Schema.String)
}) {
  override get message() {
    return `MCP server "${this.server}" ${this.detail}${this.hint === undefined ? "" : `. ${this.hint}`}`
  }
}
