/**
 * The agents of a session: built-in ones, those of the project, of the user and of extensions. A run whose folders hold
 * no definitions loads nothing for it; what is there is read once, and again on request.
 */
import { Context, Effect, Option, Ref } from "effect"
import type { AgentOverride } from "../config/setting-schema/model-config.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lazy } from "../kernel/lazy.ts"
import type { StorageError } from "../system/storage-error.ts"
import type { AgentProblem, FoundAgent, RegisteredAgent } from "./agent.ts"
import { BUILTIN_AGENTS } from "./builtin-agents.ts"
import { type AgentFolder, definitionFiles } from "./definition/definition-files.ts"
import type { CardFacts } from "./remote/remote-agents.ts"

/** What the model is told of an agent. */
export interface AgentEntry {
  readonly name: string
  readonly description: string
}

/** Everything that was found, whether it may be called or not. */
export interface FoundAgents {
  readonly agents: ReadonlyArray<RegisteredAgent>
  /** Agents of the project that nobody has agreed to, or that changed since. */
  readonly pending: ReadonlyArray<FoundAgent>
  readonly problems: ReadonlyArray<AgentProblem>
  readonly warnings: ReadonlyArray<string>
}

export class Agents extends Context.Tag("agent/agents/Agents")<
  Agents,
  {
    /** Those that the model may call, with what it is told of them. Waits, for a bounded time, for cards of remote ones. */
    readonly entries: Effect.Effect<ReadonlyArray<AgentEntry>>
    readonly names: Effect.Effect<ReadonlyArray<string>>
    /** One that may be called. */
    readonly find: (name: string) => Effect.Effect<Option.Option<RegisteredAgent>>
    readonly found: Effect.Effect<FoundAgents>
    /** Those of `found`; without reading anything where there can be none. */
    readonly pending: Effect.Effect<ReadonlyArray<FoundAgent>>
    /** The user agrees to these agents of the project: they count from here on. */
    readonly agreeTo: (pending: ReadonlyArray<FoundAgent>) => Effect.Effect<void, StorageError>
    /** Reads all files again. */
    readonly reload: Effect.Effect<FoundAgents>
  }
>() {}

export interface AgentsOptions {
  /** In the order of precedence. */
  readonly folders: ReadonlyArray<AgentFolder>
  readonly overrides: Readonly<Record<string, AgentOverride>>
  readonly acknowledgements: { readonly file: string; readonly project: string }
  /** Reads the card of a remote agent and makes its calls askable; loaded where there is one. */
  readonly introduce: (agent: RegisteredAgent) => Effect.Effect<CardFacts, RemoteUnavailable>
  /** Whoever trusts the folder for this run takes its agents as they are. */
  readonly acceptsProject: boolean
  /** Somebody is asked about agents of the project; otherwise they are only announced. */
  readonly isAsked: boolean
  /** Broken files, agents that cannot be reached. */
  readonly warn: (text: string) => Effect.Effect<void>
}

/** Why a remote agent is not offered, in words for people. */
export interface RemoteUnavailable {
  readonly message: string
}

const NOTHING: FoundAgents = { agents: [], pending: [], problems: [], warnings: [] }

/** Switched off. */
export const none: Agents["Type"] = {
  entries: Effect.succeed([]),
  names: Effect.succeed([]),
  find: () => Effect.succeedNone,
  found: Effect.succeed(NOTHING),
  pending: Effect.succeed([]),
  agreeTo: () => Effect.void,
  reload: Effect.succeed(NOTHING)
}

export const make = Effect.fnUntraced(function* (options: AgentsOptions) {
  const hasFiles = options.folders.some(({ folder }) => definitionFiles(folder).length > 0)
  const isChanged = Object.keys(options.overrides).length > 0
  const scope = yield* Effect.scope
  const load = Effect.flatMap(
    lazy(() => import("./load-agents.ts")),
    ({ loadAgents }) => loadAgents({ ...options, scope })
  )
  const loading = yield* Ref.make(yield* cachedOnce(load))
  const loaded = Effect.flatten(Ref.get(loading))
  const again = Effect.gen(function* () {
    yield* Ref.set(loading, yield* cachedOnce(load))
    return (yield* loaded).found
  })
  // Nothing but what is built in, until somebody asks for one of them.
  const isPlain = yield* Ref.make(!hasFiles && !isChanged)
  const entries = Effect.flatMap(Ref.get(isPlain), (plain) =>
    plain ? Effect.succeed<ReadonlyArray<AgentEntry>>(BUILTIN_AGENTS) : Effect.flatMap(loaded, (now) => now.entries)
  )
  return Agents.of({
    entries,
    names: Effect.map(entries, (all) => all.map(({ name }) => name)),
    find: (name) =>
      Effect.flatMap(loaded, (now) => Effect.map(now.callable, (all) => Option.fromNullable(all.get(name)))),
    found: Effect.map(loaded, (now) => now.found),
    pending: Effect.flatMap(Ref.get(isPlain), (plain) =>
      plain ? Effect.succeed([]) : Effect.map(loaded, (now) => now.found.pending)
    ),
    agreeTo: Effect.fn("Agents.agreeTo")(function* (pending: ReadonlyArray<FoundAgent>) {
      const { agree } = yield* lazy(() => import("./acknowledgements.ts"))
      const { file, project } = options.acknowledgements
      yield* agree(file, project, Object.fromEntries(pending.map((one) => [one.agent.name, one.fingerprint])))
      yield* again
    }),
    reload: Effect.zipRight(Ref.set(isPlain, false), again)
  })
})
