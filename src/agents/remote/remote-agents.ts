/** Agents that are reached over the A2A protocol. Light on purpose: what speaks the protocol is loaded with the first. */
import { Context, type Effect, Schema } from "effect"
import type { CallContext, ToolFailure, ToolOutput } from "../../tools/tool.ts"
import type { RemoteAgent } from "../agent.ts"

/** A remote agent cannot be used. */
export class RemoteAgentError extends Schema.TaggedError<RemoteAgentError>()("RemoteAgentError", {
  agent: Schema.String,
  /** What can be done about it depends on this. */
  kind: Schema.Literal("not-found", "auth", "connection", "card", "timeout", "refused"),
  detail: Schema.String
}) {
  override get message() {
    return `${this.detail}${HINTS[this.kind]}`
  }
}

const HINTS: Readonly<Record<RemoteAgentError["kind"], string>> = {
  "not-found": " (check agent_card_url)",
  auth: " (check auth in its definition)",
  connection: "",
  card: " (its card cannot be used)",
  timeout: "",
  refused: ""
}

export class RemoteAgents extends Context.Tag("agent/agents/RemoteAgents")<
  RemoteAgents,
  {
    /** Reads the card of the agent. */
    readonly introduce: (agent: RemoteAgent) => Effect.Effect<CardFacts, RemoteAgentError>
    /** Sends a message in the conversation that this session has with the agent. */
    readonly run: (agent: RemoteAgent, prompt: string, call: CallContext) => Effect.Effect<ToolOutput, ToolFailure>
  }
>() {}

/** What is taken from the card of a remote agent before it is ever called. */
export interface CardFacts {
  /** For the model: what the agent says of itself, and its skills. */
  readonly description: string
  /** What may not work, such as a way to sign in that the card does not know. */
  readonly warnings: ReadonlyArray<string>
}
