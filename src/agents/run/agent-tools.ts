/**
 * The tools of one agent: a registry of its own with what it may have of its caller's, its own servers' tools and
 * `complete_task`; a policy that knows who calls; questions that say for whom they are asked.
 */
import { Effect, Either, Option, Ref, Schema } from "effect"
import { Approval } from "../../approval/approval.ts"
import { closestName } from "../../kernel/closest-name.ts"
import { lazy } from "../../kernel/lazy.ts"
import { registeredName } from "../../mcp/tool-name.ts"
import { Policy } from "../../policy/policy.ts"
import { canonicalName } from "../../policy/tool-names.ts"
import { fromJsonSchema } from "../../tools/gemini-schema.ts"
import * as ToolRegistry from "../../tools/registry.ts"
import { defineTool, type Tool, ToolFailure } from "../../tools/tool.ts"
import { DEFAULT_TOOL_SETTINGS } from "../../tools/tool-selection.ts"
import type { AgentOutput, LocalAgent } from "../agent.ts"
import type { Stopwatch } from "./stopwatch.ts"

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

/**
 * Which tools an agent gets of those that its caller has. Never one that starts agents, and never the topic of the
 * session: it belongs to the main agent.
 */
const NEVER: ReadonlySet<string> = new Set(["invoke_agent", "update_topic"])

interface ToolChoice {
  readonly tools: ReadonlyArray<Tool>
  readonly warnings: ReadonlyArray<string>
}

/** What an agent has beside the tools of its caller, and may name as well. */
interface OwnTools {
  readonly names: ReadonlyArray<string>
  readonly servers: ReadonlyArray<string>
}

/** `wanted` absent: all of them. */
export const chooseTools = (
  offered: ReadonlyArray<Tool>,
  wanted: ReadonlyArray<string> | undefined,
  own: OwnTools
): ToolChoice => {
  const allowed = offered.filter(({ name }) => !NEVER.has(name))
  if (wanted === undefined) return { tools: allowed, warnings: [] }
  const isOffered = (entry: string) => allowed.some((tool) => isMeant(entry, tool)) || isOwn(entry, own)
  const modern = wanted.map((entry) => (isOffered(entry) ? entry : modernName(entry)))
  const renamed = wanted.flatMap((entry, index) =>
    modern[index] === entry ? [] : [`${JSON.stringify(entry)} as ${JSON.stringify(modern[index])}`]
  )
  const old = renamed.length === 0 ? [] : [`its tools have other names here, and are read so: ${renamed.join(", ")}`]
  const missing = modern.filter((pattern) => !allowed.some((tool) => isMeant(pattern, tool)) && !isOwn(pattern, own))
  return {
    tools: allowed.filter((tool) => modern.some((pattern) => isMeant(pattern, tool))),
    warnings: [...old, ...missing.map((name) => missingText(name, allowed))]
  }
}

/** Servers of its own have not been asked yet. */
const isOwn = (pattern: string, { names, servers }: OwnTools): boolean =>
  pattern === "*" || names.includes(pattern) || servers.some((server) => pattern.startsWith(`mcp_${server}_`))

const missingText = (name: string, allowed: ReadonlyArray<Tool>): string => {
  if (NEVER.has(name)) return `its tools name ${name}, which no agent gets`
  const close = closestName(
    name,
    allowed.map((tool) => tool.name)
  )
  return `its tools name ${name}, and there is no such tool${close === undefined ? "" : `: did you mean ${close}?`}`
}

/** `server::tool` and `server__tool` are `mcp_server_tool` now; built-in tools may have names of another agent. */
const modernName = (entry: string): string => {
  const [, server, tool] = /^([^:]+?)(?:::|__)(.+)$/.exec(entry) ?? []
  if (server === undefined || tool === undefined) return canonicalName(entry)
  return tool === "*" ? `mcp_${server}_*` : registeredName(server, tool)
}

const isMeant = (pattern: string, { aliases, name, server }: Tool): boolean => {
  if (pattern === "*" || pattern === name || aliases.includes(pattern)) return true
  if (pattern === "mcp_*") return server !== undefined
  // Longer names are cut, so the server itself is asked where it is known.
  const [, ofServer] = /^mcp_(.+)_\*$/.exec(pattern) ?? []
  return ofServer !== undefined && server !== undefined && (server === ofServer || name.startsWith(`mcp_${ofServer}_`))
}

/**
 * `complete_task`: the only way in which an agent hands over its result. What it hands over is checked against the form
 * that was asked for; a result that does not fit goes back to the agent with what is wrong.
 */
const COMPLETE_TASK = "complete_task"

export interface TaskCompletion {
  readonly tool: Tool
  /** `None` until something was handed over that fits. */
  readonly result: Effect.Effect<Option.Option<unknown>>
}

const PLAIN: AgentOutput = {
  name: "result",
  description: "Everything that whoever gave you the task needs: what you found or did, and what is open.",
  schema: { type: "string" }
}

export const makeCompletion = Effect.fnUntraced(function* (
  wanted: AgentOutput | undefined
): Effect.fn.Return<TaskCompletion> {
  const output = wanted ?? PLAIN
  const schema = {
    type: "object",
    properties: { [output.name]: { ...output.schema, description: output.description } },
    required: [output.name]
  }
  const check = yield* compiled(schema)
  const handedOver = yield* Ref.make(Option.none<unknown>())
  const tool: Tool = {
    name: COMPLETE_TASK,
    aliases: [],
    classNames: [],
    displayName: "Complete Task",
    kind: "other",
    description: "Hands over your result and ends your work. Call it alone, once, when you are done or cannot go on.",
    params: null,
    jsonSchema: fromJsonSchema(schema),
    prepare: (args) => {
      const fault = check(args) ?? emptyFault(valueIn(args, output.name), output)
      if (fault !== null) {
        const message = `The result was not taken: ${fault}. Call ${COMPLETE_TASK} again with a result that fits.`
        return Effect.fail(new ToolFailure({ type: "invalid_tool_params", message }))
      }
      return Effect.succeed({
        description: "hands over the result",
        locations: [],
        confirmation: Effect.succeed(null),
        run: () =>
          Effect.as(Ref.set(handedOver, Option.some(valueIn(args, output.name))), {
            forModel: "The result was taken.",
            display: { type: "text", text: "The result was taken." } as const,
            data: { taskCompleted: true }
          })
      })
    }
  }
  return { tool, result: Ref.get(handedOver) }
})

/** Loaded when an agent runs. The forms are ours or were checked: one that cannot be compiled checks nothing. */
const compiled = (schema: Readonly<Record<string, unknown>>) =>
  Effect.map(
    lazy(() => import("../../tools/json-schema-check.live.ts")),
    ({ compileCheck }) => Either.getOrElse(compileCheck(schema, "params"), () => () => null)
  )

const valueIn = (args: unknown, name: string): unknown =>
  typeof args === "object" && args !== null && Object.hasOwn(args, name) ? Reflect.get(args, name) : undefined

const emptyFault = (value: unknown, { name }: AgentOutput): string | null =>
  typeof value === "string" && value.trim() === "" ? `${name} is empty` : null

/** `get_internal_docs`: the program's own documentation, for the agent that answers questions about it. */
const NAME = "get_internal_docs"

/** Only for agents that name it: nobody else has a use for it. */
export const internalDocs = ({ tools }: LocalAgent): ReadonlyArray<Tool> =>
  tools?.includes(NAME) === true ? [tool] : []

const loadDocs = Effect.map(
  lazy(() => import("../docs/embedded-docs.ts")),
  ({ embeddedDocs }) => embeddedDocs
)

const params = Schema.Struct({
  path: Schema.optional(
    Schema.String.annotations({ description: "A document of the list, such as README.md. Without it: the list." })
  )
})

const tool = defineTool({
  name: NAME,
  displayName: "GetInternalDocs",
  kind: "think",
  description: "Shows the documentation of this program: the list of documents, or one of them.",
  params,
  prepare: ({ path }) =>
    Effect.succeed({
      description: path ?? "all documents",
      locations: [],
      confirmation: Effect.succeed(null),
      run: () =>
        Effect.flatMap(loadDocs, (docs) => {
          const names = Object.keys(docs)
          if (path === undefined || path.trim() === "") return Effect.succeed(shown(`Documents:\n${names.join("\n")}`))
          const name = path.trim().replace(/^(?:\.?\/)?(?:docs\/)?/, "")
          const text = Object.hasOwn(docs, name) ? docs[name] : undefined
          return text === undefined ? Effect.fail(unknown(path, names)) : Effect.succeed(shown(text))
        })
    })
})

const shown = (text: string) => ({ forModel: text, display: { type: "text", text } as const })

const unknown = (path: string, names: ReadonlyArray<string>) => {
  const close = closestName(path, names)
  const meant = close === undefined ? "" : ` Did you mean ${close}?`
  return new ToolFailure({ type: "invalid_tool_params", message: `There is no document ${path}.${meant}` })
}
