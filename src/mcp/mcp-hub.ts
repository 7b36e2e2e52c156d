/**
 * All MCP servers of a run: their states, and what they offer. Light on purpose: everything that wants the tag imports
 * only this file; the protocol hangs below `mcp-hub.live.ts`, and a run without servers loads none of it.
 */

import { Context, Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { LeftOut, McpPrompt, McpResource, McpTool } from "./listing.ts"
import type { ServerPlace } from "./mcp-context.ts"
import type { McpError } from "./mcp-error.ts"

export type ServerStatus = "connected" | "connecting" | "disconnecting" | "disconnected" | "blocked" | "disabled"

export interface ServerView {
  readonly name: string
  readonly status: ServerStatus
  readonly transport: "stdio" | "http" | "sse" | "ws" | undefined
  /** Command line or address, as written in the settings. */
  readonly target: string
  readonly description: string | undefined
  /** The extension that brings it. */
  readonly extension: string | undefined
  /** Its settings turn logging in on. */
  readonly hasLogin: boolean
  /** Where it is, without anything secret. */
  readonly place: ServerPlace
  /** The last thing that went wrong; cleared by a successful start. */
  readonly error: McpError | undefined
  /** Why it is blocked or disabled. */
  readonly because: string | undefined
  readonly tools: ReadonlyArray<McpTool>
  readonly prompts: ReadonlyArray<McpPrompt>
  readonly resources: ReadonlyArray<McpResource>
  readonly leftOut: ReadonlyArray<LeftOut>
  /** What the server says of itself to a model. */
  readonly instructions: string | undefined
  /** Oddities of its settings. */
  readonly warnings: ReadonlyArray<string>
}

export interface McpProgress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

export interface ToolRequest {
  readonly server: string
  /** As the server calls it. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly onProgress: (progress: McpProgress) => Effect.Effect<void>
}

/** An answer of a server as it came: decoded where it is used. */
export type McpAnswer = Readonly<Record<string, unknown>>

export class McpHub extends Context.Tag("agent/mcp/McpHub")<
  McpHub,
  {
    /** In the order of the settings. */
    readonly servers: Effect.Effect<ReadonlyArray<ServerView>>
    /** Every server has been tried once: it is connected, or its error is known. */
    readonly settled: Effect.Effect<void>
    /** Calls `listener` with the present state of each server, and from then on with each change, one at a time. */
    readonly follow: (listener: (server: ServerView) => Effect.Effect<void>) => Effect.Effect<void>
    readonly callTool: (request: ToolRequest) => Effect.Effect<McpAnswer, McpError>
    readonly readResource: (server: string, uri: string) => Effect.Effect<McpAnswer, McpError>
    readonly getPrompt: (
      server: string,
      name: string,
      args: Readonly<Record<string, string>>
    ) => Effect.Effect<McpAnswer, McpError>
    /** Values that the server proposes for an argument of a prompt; empty where it proposes none. */
    readonly complete: (
      server: string,
      prompt: string,
      argument: { readonly name: string; readonly value: string }
    ) => Effect.Effect<ReadonlyArray<string>, McpError>
    /** Tells every server that the folders of the workspace are others now. */
    readonly rootsChanged: Effect.Effect<void>
    /** Ends and starts the server again; all of them without a name. Ends when each has been tried. */
    readonly reload: (name?: string) => Effect.Effect<void, McpError>
    /** Lets the person log in to the server, then starts it again. */
    readonly logIn: (name: string) => Effect.Effect<void, McpError>
    /** Turns a server on or off for this session; the file of `gemini mcp disable` is not touched. */
    readonly setEnabled: (name: string, isEnabled: boolean) => Effect.Effect<void, McpError>
  }
>() {}

const unknown = (name: string) =>
  Effect.flatMap(
    lazy(() => import("./unknown-server.ts")),
    ({ unknownServer }) => Effect.fail(unknownServer(name))
  )

/** No servers are configured: nothing to load, nothing to connect. */
export const none: McpHub["Type"] = {
  servers: Effect.succeed([]),
  settled: Effect.void,
  follow: () => Effect.void,
  callTool: ({ server }) => unknown(server),
  readResource: (server) => unknown(server),
  getPrompt: (server) => unknown(server),
  complete: (server) => unknown(server),
  rootsChanged: Effect.void,
  reload: (name) => (name === undefined ? Effect.void : unknown(name)),
  logIn: (name) => unknown(name),
  setEnabled: (name) => unknown(name)
}
