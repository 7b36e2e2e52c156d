/** What a server that offers this agent to others needs of it: run a prompt, tell what happens, give the outcome. */
import type { Effect } from "effect"
import type { ProtocolEvent } from "../protocol/event.ts"
import type { SessionId } from "../protocol/ids.ts"
import type { ApprovalMode } from "../protocol/modes.ts"
import type { RunOutcome } from "../protocol/outcome.ts"
import type { Person } from "../tools/from-config.ts"

export interface AgentRequest {
  readonly prompt: string
  /** Absent: as the server was started. Never freer than that. */
  readonly approvalMode: ApprovalMode | undefined
  /** Relative to the folder of the server, in one of its folders; absent: that folder. */
  readonly cwd: string | undefined
  /** JSON Schema that the answer must fit. */
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
}

export interface AgentReport {
  readonly sessionId: SessionId
  readonly outcome: RunOutcome
  /** Text of the last turn; partial where the run failed. */
  readonly response: string
  /** The answer as a value, where a schema was given and met. */
  readonly structured: { readonly value: unknown } | undefined
  /** Calls that the policy refused. */
  readonly denials: ReadonlyArray<{ readonly toolName: string; readonly reason: string }>
}

/** Interrupting it ends the run with all that it started. `person`: who can be asked; nobody where absent. */
export type AgentRunner = (
  request: AgentRequest,
  onEvent: (event: ProtocolEvent) => Effect.Effect<void>,
  person: Person | undefined
) => Effect.Effect<AgentReport>
