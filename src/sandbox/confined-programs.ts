/** The sandbox over a back end: from a program and what it needs to one that starts inside. */
import { existsSync, realpathSync } from "node:fs"
import { Effect, Scope } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import type { Backend } from "./backend.ts"
import type { NetworkWish } from "./choose-sandbox.ts"
import { type CommandGrants, grantFor } from "./command-grants.ts"
import { makeDomainProxy } from "./domain-proxy.ts"
import { factsOf, standingFacts } from "./machine-facts.ts"
import { makePrivateFiles } from "./private-files.ts"
import { profileOf } from "./profile.ts"
import { type Confinement, type Sandbox, SandboxFault } from "./sandbox.ts"
import { makeWorkspaceScan } from "./workspace-scan.ts"

export interface ConfinedOptions {
  /** `undefined`: none works, and nothing is confined. Asked for at the first program. */
  readonly backend: Effect.Effect<Backend | undefined>
  /** Everything, or only what reads. */
  readonly reach: "all" | "unasked"
  /** Real paths of the workspace's folders, as they are now. */
  readonly roots: Effect.Effect<ReadonlyArray<string>>
  /** Absolute; those that do not exist are left out. */
  readonly allowedPaths: ReadonlyArray<string>
  /** Folders that can be read besides, when they are there. */
  readonly readablePaths: ReadonlyArray<string>
  readonly network: NetworkWish
  /** What single commands may use beyond; paths as written. */
  readonly grants: Effect.Effect<CommandGrants>
  /** A path as it was written, made absolute. */
  readonly expand: (path: string) => string
  /** Those that say which proxy this machine is behind. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Tells the person. */
  readonly warn: (text: string) => Effect.Effect<void>
  readonly home: string | undefined
  /** `PATH` */
  readonly path: string
  readonly self: ReadonlyArray<string>
}

export const makeConfined = Effect.fnUntraced(function* (options: ConfinedOptions) {
  const clock = yield* Effect.clock
  const scope = yield* Effect.scope
  const scan = makeWorkspaceScan(() => clock.unsafeCurrentTimeMillis())
  const files = yield* cachedOnce(Effect.provideService(makePrivateFiles, Scope.Scope, scope))
  const standing = yield* cachedOnce(Effect.sync(() => standingFacts(options.home, options.path)))
  const allowed = yield* cachedOnce(Effect.sync(() => options.allowedPaths.flatMap(realOf)))

  const rules = typeof options.network === "string" ? undefined : options.network
  const proxy = yield* cachedOnce(
    Effect.flatMap(files, ({ folder }) =>
      Effect.provideService(makeDomainProxy({ ...options, folder, rules: rules ?? [] }), Scope.Scope, scope)
    )
  )

  const profileFor = Effect.fnUntraced(function* (cwd: string, how: Confinement) {
    const roots = yield* options.roots
    const allowedPaths = yield* allowed
    if (roots.includes("/")) {
      return yield* new SandboxFault({ detail: "the workspace is the whole machine; start in a folder of it" })
    }
    const asked = how.access === "write" ? (how.commands ?? []) : []
    const granted = grantFor(asked.length === 0 ? NO_GRANTS : yield* options.grants, asked)
    const [writes, reads] = [granted.writes, granted.reads].map((paths) => paths.map(options.expand).flatMap(realOf))
    const facts = factsOf(yield* standing, [...roots, ...allowedPaths, ...(writes ?? [])], scan)
    return profileOf({
      cwd,
      roots,
      allowedPaths,
      network: (options.network === "on" || granted.network) && how.access === "write",
      access: how.access,
      usesGit: how.usesGit === true,
      reads: [...(how.reads ?? []), ...(reads ?? []), ...options.readablePaths.filter((path) => existsSync(path))],
      writes: [...(how.writes ?? []), ...(writes ?? [])],
      home: options.home,
      facts
    })
  })

  const backendFor = (access: Confinement["access"]) =>
    options.reach === "all" || access === "read" ? options.backend : Effect.succeed(undefined)

  return {
    confines: (access) => Effect.map(backendFor(access), (backend) => backend !== undefined),
    confine: Effect.fn("Sandbox.confine")(function* (program, how) {
      const backend = yield* backendFor(how.access)
      if (backend === undefined) return program
      const profile = yield* profileFor(program.cwd, how)
      const held = yield* files
      const filters = rules !== undefined && backend.filtersDomains && how.access === "write"
      const filter = filters && !profile.network ? yield* proxy : undefined
      const entered = yield* Effect.try({
        try: () => backend.enter({ program, profile, how, files: held, proxy: filter, self: options.self }),
        catch: (cause) => new SandboxFault({ detail: cause instanceof Error ? cause.message : String(cause) })
      })
      return filter === undefined ? entered : { ...entered, refusedHosts: filter.refusedFromNow() }
    }),
    report: Effect.gen(function* () {
      const backend = yield* backendFor("write")
      if (backend === undefined) return undefined
      return {
        backend: backend.name,
        ...networkReport(options.network, backend),
        writable: [...new Set([...(yield* options.roots), ...(yield* allowed)])],
        strength: backend.strength,
        gaps: backend.gaps(options.network)
      }
    })
  } satisfies Sandbox["Type"] as Sandbox["Type"]
})

const NO_GRANTS: CommandGrants = new Map()

const networkReport = (network: NetworkWish, { filtersDomains }: Backend) => {
  if (typeof network === "string") return { network }
  const domains = network.map(({ text }) => text)
  return filtersDomains ? { network: "domains" as const, domains } : { network: "off" as const }
}

const realOf = (path: string): ReadonlyArray<string> => {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}
