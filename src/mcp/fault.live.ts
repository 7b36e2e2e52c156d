/** From the many errors of the SDK, the runtime and the network to one of ours. Classified here, once, by type and code. */

import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { SseError } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ErrorCode, McpError as ProtocolFault } from "@modelcontextprotocol/sdk/types.js"
import { Duration, Predicate } from "effect"
import { messageOf } from "../kernel/cause-chain.ts"
import { shortLine } from "../kernel/readable-text.ts"
import { McpError, type McpErrorKind } from "./mcp-error.ts"
import type { ServerPlan } from "./server-config.ts"
import { isTooLarge } from "./server-fetch.ts"

export interface FaultContext {
  readonly plan: ServerPlan
  /** What was under way, after "while": `connecting`. */
  readonly during: string
  /** The last HTTP refusal on this connection. */
  readonly refusal: { readonly status: number; readonly challenge: string | undefined } | undefined
  /** Why the transport ended, where it knows. */
  readonly ended: McpError | undefined
}

export const faultOf = (cause: unknown, context: FaultContext): McpError => {
  if (cause instanceof McpError) return cause
  if (isTooLarge(cause)) return fault(context, "too-large", "sent an answer that is too large to be taken")
  const status = statusOf(cause) ?? (cause instanceof ProtocolFault ? undefined : context.refusal?.status)
  if (status !== undefined && status >= 300) return refused(status, cause, context)
  if (cause instanceof ProtocolFault) return protocolFault(cause, context)
  if (isNetwork(cause)) return fault(context, "network", `cannot be reached: ${networkReason(cause)}`, NETWORK_HINT)
  return fault(context, "protocol", `failed while ${context.during}: ${shortLine(messageOf(cause))}`)
}

const refused = (status: number, cause: unknown, context: FaultContext): McpError => {
  const { name } = context.plan
  const more = { status, ...(context.refusal?.challenge === undefined ? {} : { challenge: context.refusal.challenge }) }
  if (status === 401) {
    return fault(context, "unauthorized", "asks for a login (401)", `Run: gemini mcp login ${name}`, more)
  }
  if (status === 403) {
    return fault(context, "forbidden", "refuses access (403)", "Check the account, its rights and the headers.", more)
  }
  return fault(
    context,
    "http",
    `answered ${status} while ${context.during}: ${shortLine(messageOf(cause))}`,
    undefined,
    more
  )
}

const protocolFault = (cause: ProtocolFault, context: FaultContext): McpError => {
  if (isOwn(cause, ErrorCode.RequestTimeout, OWN_TIMEOUTS)) {
    const limit = Duration.format(Duration.millis(context.plan.timeoutMs))
    return fault(context, "timeout", `did not answer within ${limit} while ${context.during}`)
  }
  if (isOwn(cause, ErrorCode.ConnectionClosed, OWN_CLOSINGS)) {
    return context.ended ?? fault(context, "closed", `closed the connection while ${context.during}`)
  }
  return fault(context, "protocol", `answered with an error while ${context.during}: ${shortLine(cause.message)}`)
}

/**
 * The SDK raises these itself, under codes that the protocol leaves to servers: what a server says under the same code
 * (-32000 is what most say about any failure) is its answer, and its words are what helps.
 */
const OWN_TIMEOUTS = ["Request timed out", "Maximum total timeout exceeded"]
const OWN_CLOSINGS = ["Connection closed", "Request was cancelled"]

const isOwn = ({ code, message }: ProtocolFault, own: ErrorCode, texts: ReadonlyArray<string>): boolean =>
  code === own && texts.some((text) => message.endsWith(`: ${text}`))

const statusOf = (cause: unknown): number | undefined => {
  if (cause instanceof UnauthorizedError) return 401
  return cause instanceof StreamableHTTPError || cause instanceof SseError ? cause.code : undefined
}

const NETWORK_HINT = "Check that it runs, and its url."

const isNetwork = (cause: unknown): boolean =>
  Predicate.isError(cause) &&
  ((Predicate.hasProperty(cause, "code") && typeof cause.code === "string") || cause.name === "TypeError")

/** A bad certificate has a code such as `SELF_SIGNED_CERT_IN_CHAIN`. */
const networkReason = (cause: unknown): string => {
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  return /CERT|SIGNATURE|ALTNAME/i.test(code)
    ? `its certificate is not trusted (${code})`
    : shortLine(messageOf(cause))
        .replace(/[.?!]+$/, "")
        // The question that the runtime adds is no help beside our own advice.
        .replace(/^(\w+): Unable to connect.*/, "nobody answers there ($1)")
}

const fault = (
  { plan }: FaultContext,
  kind: McpErrorKind,
  detail: string,
  hint?: string,
  more: { readonly status?: number; readonly challenge?: string } = {}
): McpError => new McpError({ server: plan.name, kind, detail, ...(hint === undefined ? {} : { hint }), ...more })
