/** The sandbox over a back end: from a program and what it needs to one that starts inside. */
import { existsSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Ref, Scope } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lstatOrNone } from "../system/regular-file.ts"
import type { SandboxBackend } from "./backend.ts"
import type { NetworkWish } from "./choose-sandbox.ts"
import { type CommandGrants, grantFor, joinedGrants, NO_GRANT } from "./command-grants.ts"
import { type DomainProxy, makeDomainProxy } from "./domain-proxy.ts"
import { parseDomainRule } from "./domain-rules.ts"
import { makeExpansions } from "./expansions.ts"
import { factsOf, standingFacts } from "./machine-facts.ts"
import { makePrivateFiles, type PrivateFiles } from "./private-files.ts"
import { isWithin, profileOf } from "./profile.ts"
import { type Confinement, type Sandbox, SandboxFault } from "./sandbox.ts"
import { makeWorkspaceScan } from "./workspace-scan.ts"

export interface ConfinedOptions {
  /** `undefined`: none works, and nothing is confined. Asked for at the first program. */
  readonly backend: Effect.Effect<SandboxBackend | undefined>
  /** Everything, or only what reads. */
  readonly reach: "all" | "unasked"
  /** Real paths of the workspace's folders, as they are now. */
  readonly roots: Effect.Effect<ReadonlyArray<string>>
  /** Absolute; those that do not exist are left out. */
  readonly allowedPaths: ReadonlyArray<string>
  /** Folders that can be read besides, when they are there. */
  readonly readablePaths: ReadonlyArray<string>
  readonly network: NetworkWish
  /** What single commands may use beyond; paths as written. Asked for at the first that is not only reading. */
  readonly grants: Effect.Effect<CommandGrants>
  /** Where they are kept. */
  readonly grantsFile: string
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
  let held: PrivateFiles | undefined
  /** Others where a folder was added to the workspace that these lie in. */
  const filesOutside = Effect.fnUntraced(function* (changed: ReadonlyArray<string>) {
    if (held === undefined || isWithin(changed, held.folder)) {
      held = yield* Effect.provideService(makePrivateFiles(changed), Scope.Scope, scope)
    }
    return held
  })
  const standing = yield* cachedOnce(Effect.sync(() => standingFacts(options.home, options.path)))
  const allowed = yield* cachedOnce(Effect.sync(() => options.allowedPaths.flatMap(realOf)))

  const grants = yield* cachedOnce(Effect.flatMap(options.grants, (read) => Ref.make(read)))

  const rules = typeof options.network === "string" ? [] : options.network
  const proxies = new Map<string, DomainProxy>()
  const making = yield* Effect.makeSemaphore(1)
  /** One for each list of domains: what one command was given, another one does not use. */
  const proxyFor = Effect.fnUntraced(function* (domains: ReadonlyArray<string>, { folder }: PrivateFiles) {
    const more = domains.filter((domain) => !rules.some(({ text }) => text === domain)).toSorted()
    const key = more.join(" ")
    const made = proxies.get(key)
    if (made !== undefined) return made
    const all = [...rules, ...more.map(parseDomainRule).filter((rule) => rule !== undefined)]
    const socket = join(folder, `network-${proxies.size}`)
    const proxy = yield* Effect.provideService(makeDomainProxy({ ...options, socket, rules: all }), Scope.Scope, scope)
    proxies.set(key, proxy)
    return proxy
  }, making.withPermits(1))

  const grantOf = Effect.fnUntraced(function* (how: Confinement) {
    if (how.access === "read") return NO_GRANT
    const asked = how.commands ?? []
    const given = asked.length === 0 ? NO_GRANT : grantFor(yield* Ref.get(yield* grants), asked)
    return joinedGrants(given, how.opens ?? NO_GRANT)
  })

  const profileFor = Effect.fnUntraced(function* (cwd: string, how: Confinement) {
    // One that is gone needs no place; one that has become a link is not followed.
    const roots = (yield* options.roots).filter(isFolder)
    const allowedPaths = yield* allowed
    if (roots.includes("/")) {
      return yield* new SandboxFault({ detail: "the workspace is the whole machine; start in a folder of it" })
    }
    const granted = yield* grantOf(how)
    const [writes = [], reads = []] = [granted.writes, granted.reads].map((paths) =>
      paths.map(options.expand).flatMap(realOf)
    )
    const facts = factsOf(yield* standing, [...roots, ...allowedPaths, ...writes], scan)
    return profileOf({
      cwd,
      roots,
      allowedPaths,
      network: (options.network === "on" || granted.network) && how.access === "write",
      access: how.access,
      usesGit: how.usesGit === true,
      reads: [...(how.reads ?? []), ...reads, ...options.readablePaths.filter((path) => existsSync(path))],
      writes: [...(how.writes ?? []), ...writes],
      home: options.home,
      facts
    })
  })

  const backendFor = (access: Confinement["access"]) =>
    options.reach === "all" || access === "read" ? options.backend : Effect.succeed(undefined)

  const expansions = yield* cachedOnce(
    Effect.map(grants, (known) =>
      makeExpansions({
        profileOf: ({ cwd, how }) =>
          backendFor(how.access).pipe(
            Effect.flatMap((backend) => (backend === undefined ? Effect.succeed(undefined) : profileFor(cwd, how))),
            Effect.orElseSucceed(() => undefined)
          ),
        home: options.home,
        filtersDomains: Effect.map(backendFor("write"), (backend) => backend?.filtersDomains === true),
        grants: known,
        file: options.grantsFile,
        expand: options.expand
      })
    )
  )

  return {
    confines: (access) => Effect.map(backendFor(access), (backend) => backend !== undefined),
    confine: Effect.fn("Sandbox.confine")(function* (program, how) {
      const backend = yield* backendFor(how.access)
      if (backend === undefined) return program
      const profile = yield* profileFor(program.cwd, how)
      const files = yield* filesOutside(profile.changeable)
      const { domains } = yield* grantOf(how)
      const filters = rules.length + domains.length > 0 && backend.filtersDomains && how.access === "write"
      const filter = filters && !profile.network ? yield* proxyFor(domains, files) : undefined
      const entered = yield* Effect.try({
        try: () => backend.enter({ program, profile, how, files, proxy: filter, self: options.self }),
        catch: (cause) => new SandboxFault({ detail: cause instanceof Error ? cause.message : String(cause) })
      })
      return {
        ...entered,
        ...(filter === undefined ? {} : { refusedHosts: filter.refusedFromNow() }),
        ...(profile.absent.length === 0 || backend.name !== "bwrap"
          ? {}
          : { afterwards: takenBack(profile.absent, options.warn) })
      }
    }),
    expansion: (request) => Effect.flatMap(expansions, (ask) => ask(request)),
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

/** A command that works on a repository can make these; nobody is to obey them afterwards. */
const takenBack = (absent: ReadonlyArray<string>, warn: ConfinedOptions["warn"]) =>
  Effect.suspend(() => {
    const made = absent.filter((path) => lstatOrNone(path) !== undefined)
    for (const path of made) rmSync(path, { recursive: true, force: true })
    return made.length === 0
      ? Effect.void
      : warn(`a sandboxed command made ${made.join(", ")}, which git would obey outside: it was removed`)
  })

const networkReport = (network: NetworkWish, { filtersDomains }: SandboxBackend) => {
  if (typeof network === "string") return { network }
  const domains = network.map(({ text }) => text)
  return filtersDomains ? { network: "domains" as const, domains } : { network: "off" as const }
}

const isFolder = (path: string): boolean => lstatOrNone(path)?.isDirectory() === true

const realOf = (path: string): ReadonlyArray<string> => {
  try {
    return [realpathSync(path)]
  } catch {
    return []
  }
}
