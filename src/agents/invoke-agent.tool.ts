/** `invoke_agent`: gives a task to an agent and answers with its result. Several of them may work side by side. */
import { Effect, Option, Schema } from "effect"
import { closestName } from "../kernel/closest-name.ts"
import { type CallContext, defineTool, ToolFailure } from "../tools/tool.ts"
import { AgentRunner } from "./agent-runner.ts"
import { Agents } from "./agents.ts"

export const invokeAgent = defineTool({
  name: "invoke_agent",
  classNames: ["AgentTool"],
  displayName: "Invoke Subagent",
  kind: "agent",
  description: "Gives a task to a sub-agent and returns its result. Independent tasks may be given at the same time.",
  params: Schema.Struct({
    agent_name: Schema.String.annotations({ description: "A name of <available_subagents>." }),
    prompt: Schema.String.annotations({
      description: "The whole task: goal, what is known, limits, form of the answer. The agent sees nothing else."
    })
  }),
  prepare: Effect.fnUntraced(function* ({ agent_name: name, prompt }) {
    const agents = yield* Agents
    const runner = yield* AgentRunner
    const found = yield* agents.find(name)
    if (Option.isNone(found)) return yield* unknownAgent(name, yield* agents.names)
    const { agent } = found.value
    return {
      description: `${name}: ${firstLine(prompt)}`,
      locations: [],
      confirmation: Effect.succeed({
        type: "info",
        title: `Give this to the ${agent.kind === "remote" ? "remote " : ""}agent ${agent.displayName ?? name}?`,
        prompt: `${name}: ${prompt}`,
        urls: agent.kind === "remote" && agent.card._tag === "url" ? [agent.card.url] : []
      }),
      narrowing: { by: "argument", key: "agent_name", value: name },
      run: (call: CallContext) => runner.run(found.value, prompt, call)
    }
  })
})

const unknownAgent = (name: string, names: ReadonlyArray<string>): ToolFailure => {
  const close = closestName(name, names)
  const message = `There is no agent ${JSON.stringify(name)}.${close === undefined ? "" : ` Did you mean ${close}?`} Agents: ${names.join(", ")}`
  return new ToolFailure({ type: "invalid_tool_params", message })
}

const SHOWN_CHARS = 120

const firstLine = (prompt: string): string => prompt.trim().split("\n", 1)[0]?.slice(0, SHOWN_CHARS) ?? ""
