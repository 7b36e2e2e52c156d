/** What an agent is: one that runs here, with its own instruction, tools and limits, or one that is reached elsewhere. */
import type { McpServer } from "../config/setting-schema/mcp-server.ts"
import type { RemoteAuth } from "./remote/remote-auth.ts"

export type Agent = LocalAgent | RemoteAgent

export interface LocalAgent {
  readonly kind: "local"
  readonly name: string
  readonly displayName?: string | undefined
  readonly description: string
  /** `own`: the text is the whole instruction. `core`: that of the main agent, for a run in which nobody is asked. */
  readonly instruction: { readonly _tag: "own"; readonly text: string } | { readonly _tag: "core" }
  /** Names and patterns of tools; absent: all tools of whoever calls it. */
  readonly tools?: ReadonlyArray<string> | undefined
  /** Of its own, beside those of the session. */
  readonly mcpServers: Readonly<Record<string, McpServer>>
  readonly model: AgentModel
  readonly limits: AgentLimits
  /** The name under which the task stands in templates. */
  readonly input: string
  /** The form of its result; absent: a text. */
  readonly output?: AgentOutput | undefined
}

export interface AgentModel {
  /** A name, or `inherit`: the model of the session. */
  readonly name: string
  /** What the name becomes where the session runs on a model of the third generation. */
  readonly modernName?: string | undefined
  /** Request parameters beside those of the model. */
  readonly config: Readonly<Record<string, unknown>>
}

export interface AgentLimits {
  readonly maxTurns: number
  readonly maxMinutes: number
}

export interface AgentOutput {
  /** The argument of `complete_task` that holds it. */
  readonly name: string
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
}

export interface RemoteAgent {
  readonly kind: "remote"
  readonly name: string
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  readonly card: { readonly _tag: "url"; readonly url: string } | { readonly _tag: "inline"; readonly json: string }
  readonly auth?: RemoteAuth | undefined
}

/** Where an agent comes from; the first one of a name wins, in this order. */
export type AgentOrigin = "built-in" | "project" | "user" | "extension"

export interface FoundAgent {
  readonly agent: Agent
  readonly origin: AgentOrigin
  /** Absent for those that are built in. */
  readonly file?: string | undefined
  /** What agreement to it is given to: a hash of the file, or the address of the card, with how one signs in. */
  readonly fingerprint: string
  /** Of the extension that brings it. */
  readonly extension?: string | undefined
}

export interface RegisteredAgent extends FoundAgent {
  readonly isEnabled: boolean
}

export const DEFAULT_LIMITS: AgentLimits = { maxTurns: 30, maxMinutes: 10 }

/** Sampling of agents whose files say nothing about it. */
export const DEFAULT_TEMPERATURE = 1
export const DEFAULT_TOP_P = 0.95

export const INHERIT = "inherit"

/** What is wrong with a file that defines an agent, with the place to correct. */
export interface AgentProblem {
  readonly file: string
  /** From one; absent where the file could not be read at all. */
  readonly line?: number | undefined
  /** Such as `auth.type`. */
  readonly field?: string | undefined
  readonly message: string
}

/** `agents/x.md:3: max_turns: expected a whole number of at least 1`. */
export const problemText = ({ field, file, line, message }: AgentProblem): string =>
  [line === undefined ? file : `${file}:${line}`, ...(field === undefined ? [] : [field]), message].join(": ")
