/** Runs agents for whoever calls them. Behind a tag, because what it takes to run one is loaded with the first. */
import { Context, Deferred, Effect } from "effect"
import type { CallContext, ToolFailure, ToolOutput } from "../tools/tool.ts"
import type { RegisteredAgent } from "./agent.ts"

/** Interrupting it ends the agent with everything that it started. */
export type RunAgent = (
  agent: RegisteredAgent,
  prompt: string,
  call: CallContext
) => Effect.Effect<ToolOutput, ToolFailure>

export class AgentRunner extends Context.Tag("agent/agents/AgentRunner")<
  AgentRunner,
  {
    readonly run: RunAgent
    /** An agent works with the tools of the run, and is started by one of them: who runs it is known last. */
    readonly connect: (run: RunAgent) => Effect.Effect<void>
  }
>() {}

export const make = Effect.map(Deferred.make<RunAgent>(), (connected) =>
  AgentRunner.of({
    run: (agent, prompt, call) => Effect.flatMap(Deferred.await(connected), (run) => run(agent, prompt, call)),
    connect: (run) => Effect.asVoid(Deferred.succeed(connected, run))
  })
)
