/** Remote agents as a run has them, without the run: what they are told, and what the run is told of it. */
import { Effect } from "effect"
import type { RemoteAgent } from "../../src/agents/agent.ts"
import { make } from "../../src/agents/remote/remote-agents.live.ts"
import { layerNone, ServerAuth } from "../../src/mcp/server-auth.ts"
import type { ProtocolEvent } from "../../src/protocol/event.ts"
import { CallId } from "../../src/protocol/ids.ts"
import { make as makeHttp } from "../../src/system/http/http.ts"
import type { A2aServer } from "./a2a-server.ts"

export const agentAt = ({ cardUrl }: Pick<A2aServer, "cardUrl">, changed: Partial<RemoteAgent> = {}): RemoteAgent => ({
  kind: "remote",
  name: "far",
  card: { _tag: "url", url: cardUrl },
  ...changed
})

export const remoteRoom = (variables: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const events: Array<ProtocolEvent> = []
    const remote = yield* make({
      http: makeHttp({ variables }),
      variables,
      auth: {
        variable: (name) => variables[name],
        output: (command) => Effect.succeed(`${command} printed\n`),
        logins: yield* Effect.provide(ServerAuth, layerNone),
        canLogIn: false,
        google: () => Effect.fail("no Google here")
      }
    })
    const call = {
      callId: CallId.make("invoke_agent__1"),
      progress: () => Effect.void,
      emit: (event: ProtocolEvent) => Effect.sync(() => void events.push(event))
    }
    const say = (agent: RemoteAgent, prompt: string) => Effect.either(remote.run(agent, prompt, call))
    return { remote, say, events }
  })
