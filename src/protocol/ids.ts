/** Identifiers that travel between rooms. Branded, so that one kind is never passed for another. */
import { Schema } from "effect"

export const SessionId = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9_-]+$/, { message: () => "only letters, digits, - and _ may stand in a session id" }),
  Schema.brand("SessionId")
)
export type SessionId = typeof SessionId.Type

/** One id for each submission of the user: `<session>########<number>`. Tool rounds of it share the id. */
export const PromptId = Schema.String.pipe(Schema.brand("PromptId"))
export type PromptId = typeof PromptId.Type

export const promptIdOf = (session: SessionId, count: number): PromptId => PromptId.make(`${session}########${count}`)

/** The same for what a sub-agent is told: `<agent>#<number>`. */
export const agentPromptIdOf = (agentId: string, count: number): PromptId => PromptId.make(`${agentId}#${count}`)

/** Names one tool call: `<tool name>__<id of the API, or a made one>`. */
export const CallId = Schema.String.pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type
