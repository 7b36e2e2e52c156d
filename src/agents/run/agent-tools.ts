/**
 * The tools of one agent: a registry of its own with what it may have of its caller's, its own servers' tools and
 * `complete_task`; a policy that knows who calls; questions that say for whom they are asked.
 */
import { Effect, Ref } from "effect"
import { Approval } from "../../approval/approval.ts"
import { Policy } from "../../policy/policy.ts"
import * as ToolRegistry from "../../tools/registry.ts"
import { type Tool, ToolFailure } from "../../tools/tool.ts"
import { DEFAULT_TOOL_SETTINGS } from "../../tools/tool-selection.ts"
import type { LocalAgent } from "../agent.ts"
import { COMPLETE_TASK } from "./complete-task.ts"
import type { Stopwatch } from "./stopwatch.ts"
import { chooseTools } from "./tool-choice.ts"

/** `extra`: tools that only this agent has. */
export const makeAgentRegistry = Effect.fnUntraced(function* (agent: LocalAgent, extra: ReadonlyArray<Tool>) {
  const callers = yield* ToolRegistry.ToolRegistry
  const wanted = chooseTools(yield* callers.all, agent.tools, {
    names: extra.map(({ name }) => name),
    servers: Object.keys(agent.mcpServers)
  })
  // What the settings leave out was left out when the caller's registry was made.
  const registry = yield* ToolRegistry.make({ builtins: [], settings: { ...DEFAULT_TOOL_SETTINGS, exclude: [] } })
  yield* registry.register(null, [...wanted.tools, ...extra])
  return {
    warnings: wanted.warnings,
    registry: ToolRegistry.ToolRegistry.of({
      ...registry,
      find: (name) => Effect.mapError(registry.find(name), notAvailable)
    })
  }
})

const notAvailable = ({ message, type }: ToolFailure): ToolFailure =>
  new ToolFailure({ type, message: `${message} Tools that are not declared are not available to this agent.` })

/** Rules may be about this agent. In its last turn nothing is left but handing over the result. */
export const agentPolicy = (agent: LocalAgent, isLastTurn: Ref.Ref<boolean>) =>
  Effect.map(Policy, (policy) =>
    Policy.of({
      ...policy,
      decide: (call) => policy.decide({ ...call, subagent: agent.name }),
      hiddenTools: (tools) =>
        Effect.flatMap(Ref.get(isLastTurn), (isLast) =>
          isLast
            ? Effect.succeed(tools.map(({ name }) => name).filter((name) => name !== COMPLETE_TASK))
            : policy.hiddenTools(tools)
        )
    })
  )

const THINK_AGAIN = "the user declined; think again, and find another way or report what is in the way"

export const agentApproval = (agent: LocalAgent, watch: Stopwatch) =>
  Effect.map(Approval, (approval) =>
    Approval.of({
      ask: (question) =>
        watch
          .without(approval.ask({ ...question, agent: agent.displayName ?? agent.name }))
          .pipe(
            Effect.map((answer) =>
              answer._tag === "No" ? { ...answer, reason: answer.reason ?? THINK_AGAIN } : answer
            )
          )
    })
  )
