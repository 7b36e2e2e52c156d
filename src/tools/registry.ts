/**
 * All tools of a run: built-in ones, those of higher rooms, discovered ones and those of MCP servers, in the order in
 * which the model sees them.
 *
 * What is hidden (excluded by settings, denied by policy, out of place in this mode) is not declared and cannot be
 * called either: a call to it is answered like one to a tool that does not exist.
 */
import { Context, Effect, Layer, Ref } from "effect"
import { levenshtein } from "../kernel/levenshtein.ts"
import { PlanMode } from "../policy/plan-mode.ts"
import { canonicalName } from "../policy/tool-names.ts"
import { declarationOf, type FunctionDeclaration, isOffered } from "./declaration.ts"
import { type Tool, ToolFailure, withoutCallOptions } from "./tool.ts"
import { isBuiltinSelected, isExcluded, type ToolSettings } from "./tool-selection.ts"

export class ToolRegistry extends Context.Tag("agent/tools/ToolRegistry")<
  ToolRegistry,
  {
    /** Tools that may be called now, in order. */
    readonly active: Effect.Effect<ReadonlyArray<Tool>>
    /** By name or older name. An unknown or hidden one fails with `tool_not_registered` and the closest names. */
    readonly find: (name: string) => Effect.Effect<Tool, ToolFailure>
    /** The active tools as this model is told of them. */
    readonly declarations: (modelId: string | undefined) => Effect.Effect<ReadonlyArray<FunctionDeclaration>>
    /** Replaces the tools of one MCP server; `null` stands for the discovery command. */
    readonly register: (server: string | null, tools: ReadonlyArray<Tool>) => Effect.Effect<void>
    /** Names that the policy hides in the present mode; replaces the set before. */
    readonly hide: (names: ReadonlySet<string>) => Effect.Effect<void>
    /** All tools that the settings leave in, hidden ones included: for listings and for the policy. */
    readonly all: Effect.Effect<ReadonlyArray<Tool>>
  }
>() {}

export interface RegistryOptions {
  /** In order; see `lazyBuiltins`. */
  readonly builtins: ReadonlyArray<Tool>
  /** Built-in tools that are there under circumstances, or belong to higher rooms. */
  readonly joined?: ReadonlyArray<JoinedTool>
  readonly settings: ToolSettings
}

export interface JoinedTool {
  readonly tool: Tool
  /** The tool behind which it stands; at the end without it. */
  readonly after?: string
  /** Absent: always. */
  readonly isOffered?: Effect.Effect<boolean>
  /** The same tool as it is declared now, where that changes in a session. */
  readonly current?: Effect.Effect<Tool>
}

interface Registered {
  /** By server; `null` for discovered tools. */
  readonly foreign: ReadonlyMap<string | null, ReadonlyArray<Tool>>
  readonly hidden: ReadonlySet<string>
}

export const make = ({ builtins, joined = [], settings }: RegistryOptions) =>
  Effect.gen(function* () {
    const planMode = yield* PlanMode
    const own = joinTools(builtins, joined).filter((tool) => isBuiltinSelected(tool, settings))
    const changed = Effect.forEach(
      joined.flatMap(({ current, tool }) => (current === undefined ? [] : [{ current, tool }])),
      ({ current, tool }) => Effect.map(current, (now) => [tool, now] as const)
    )
    const state = yield* Ref.make<Registered>({ foreign: new Map(), hidden: new Set() })

    const all = Effect.gen(function* () {
      const { foreign } = yield* Ref.get(state)
      const idle = yield* Effect.filter(joined, ({ isOffered }) => Effect.negate(isOffered ?? Effect.succeed(true)))
      const present = idle.length === 0 ? own : own.filter((tool) => idle.every((one) => one.tool !== tool))
      const now = new Map(yield* changed)
      return lastOfEachName([...present.map((tool) => now.get(tool) ?? tool), ...foreignInOrder(foreign)]).filter(
        (tool) => !isExcluded(tool, settings)
      )
    })

    const active = Effect.gen(function* () {
      const { hidden } = yield* Ref.get(state)
      const mode = yield* planMode.mode
      return (yield* all).filter((tool) => !isHidden(tool, hidden) && isOffered(tool.name, mode))
    })

    const find = Effect.fn("ToolRegistry.find")(function* (name: string) {
      const tools = yield* active
      const found =
        tools.find((tool) => tool.name === name) ??
        tools.find((tool) => tool.aliases.includes(name)) ??
        tools.find((tool) => tool.name === canonicalName(name)) ??
        tools.find((tool) => tool.server !== undefined && isDoubled(name, tool))
      if (found !== undefined) return found
      const message = unknownToolMessage(
        name,
        tools.map((tool) => tool.name)
      )
      return yield* new ToolFailure({ type: "tool_not_registered", message })
    })

    const declarations = Effect.fn("ToolRegistry.declarations")(function* (modelId: string | undefined) {
      const mode = yield* planMode.mode
      const context = { modelId, mode, plansDir: planMode.plansDir }
      return (yield* active).flatMap((tool) => declarationOf(tool, context) ?? [])
    })

    const register = Effect.fn("ToolRegistry.register")(function* (server: string | null, tools: ReadonlyArray<Tool>) {
      const known = new Set((yield* all).filter((tool) => tool.server !== server).map((tool) => tool.name))
      const clashing = tools.filter((tool) => known.has(tool.name)).map((tool) => tool.name)
      if (clashing.length > 0) {
        yield* Effect.logDebug("tools replace others of the same name").pipe(
          Effect.annotateLogs({ names: clashing.join(", "), server: server ?? "discovery" })
        )
      }
      yield* Ref.update(state, (now) => ({
        ...now,
        foreign: new Map(now.foreign).set(server, tools.map(strippingOptions))
      }))
    })

    return ToolRegistry.of({
      active,
      all,
      find,
      declarations,
      register,
      hide: (hidden) => Ref.update(state, (now) => ({ ...now, hidden }))
    })
  })

export const layer = (options: RegistryOptions) => Layer.effect(ToolRegistry, make(options))

/** `server__tool`: how others name the tools of servers. */
const isDoubled = (name: string, { name: registered, server }: Tool): boolean =>
  name.startsWith(`${server}__`) && registered === `mcp_${server}_${name.slice(`${server}__`.length)}`

/** Foreign tools see the arguments as they are, so the scheduler's own option is taken out here. */
const strippingOptions = (tool: Tool): Tool => ({ ...tool, prepare: (args) => tool.prepare(withoutCallOptions(args)) })

const isHidden = (tool: Tool, hidden: ReadonlySet<string>): boolean =>
  hidden.has(tool.name) || tool.aliases.some((alias) => hidden.has(alias))

const joinTools = (builtins: ReadonlyArray<Tool>, joined: ReadonlyArray<JoinedTool>): ReadonlyArray<Tool> => {
  const tools = [...builtins]
  for (const { after, tool } of joined) {
    const place = tools.findIndex((other) => other.name === after)
    tools.splice(place < 0 ? tools.length : place + 1, 0, tool)
  }
  return tools
}

/** Discovered tools first, then the servers by name. */
const foreignInOrder = (foreign: Registered["foreign"]): ReadonlyArray<Tool> =>
  [...foreign]
    .sort(([left], [right]) => (left === null ? -1 : right === null ? 1 : left < right ? -1 : 1))
    .flatMap(([, tools]) => tools)

/** A name that is registered again takes the place of the one before. */
const lastOfEachName = (tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> => [
  ...new Map(tools.map((tool) => [tool.name, tool])).values()
]

/** Names that come nearest to one that does not exist, for the answer to the model. */

/** At most `count` names, nearest first; equally near ones keep their order. */
export const closestNames = (name: string, names: ReadonlyArray<string>, count = 3): ReadonlyArray<string> =>
  names
    .map((candidate) => ({ candidate, distance: levenshtein(name, candidate) }))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate)

/** What the model is told when it calls a tool that is not there. Existing scripts look for the first words. */
export const unknownToolMessage = (name: string, names: ReadonlyArray<string>): string => {
  const closest = closestNames(name.slice(0, 200), names)
  const hint =
    closest.length === 0
      ? "No tools are available."
      : `The closest available names are: ${closest.map((candidate) => `"${candidate}"`).join(", ")}.`
  return `Tool "${name.slice(0, 200)}" not found. ${hint}`
}

/** Tools by which the model calls agents, of which a room above this one knows. */
export class AgentTools extends Context.Reference<AgentTools>()("agent/tools/AgentTools", {
  defaultValue: (): ReadonlyArray<JoinedTool> => []
}) {}
