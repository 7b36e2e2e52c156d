/** Remote agents of a run: how they are reached and signed in to, from its configuration. */
import { Effect } from "effect"
import { RemoteAgentError, RemoteAgents } from "../agents/remote/remote-agents.ts"
import type { AppInput } from "./app.ts"

export const makeRemoteAgents = (_input: AppInput) =>
  Effect.succeed(
    RemoteAgents.of({
      introduce: (agent) => new RemoteAgentError({ agent: agent.name, kind: "connection", detail: "" }),
      run: () => Effect.die("")
    })
  )
