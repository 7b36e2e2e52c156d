/**
 * The sandbox that flags, variables and settings ask for. This is all that a run without one loads; what builds walls comes
 * with the first wish for one.
 */
import { join } from "node:path"
import { Effect, Scope } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { RunFolders } from "../config/run-folders.ts"
import { WorkspaceRoots } from "../config/workspace-roots.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { service } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { Notices } from "../protocol/notices.ts"
import { chooseSandbox, type SandboxWish } from "./choose-sandbox.ts"
import type { ConfinedOptions } from "./confined-programs.ts"
import { none, Sandbox } from "./sandbox.ts"
import type { SandboxUnavailable } from "./sandbox-unavailable.ts"

/** `undefined`: none is asked for. */
export const wishOf = (
  { environment, settings }: Pick<LoadedConfig, "environment" | "settings">,
  flag: boolean | string | undefined
) =>
  chooseSandbox({
    flag,
    variable: environment.get("GEMINI_SANDBOX"),
    setting: settings.get("tools.sandbox"),
    toolSandboxing: settings.get("security.toolSandboxing"),
    allowedPaths: settings.get("tools.sandboxAllowedPaths"),
    networkAccess: settings.get("tools.sandboxNetworkAccess"),
    allowedDomains: settings.get("tools.sandboxAllowedDomains"),
    isInside: (environment.get("SANDBOX") ?? "").trim() !== "",
    platform: environment.platform
  })

/** What the workspace is, the sandbox opens; what was too long for an answer, commands may read. */
export const layer = (
  config: LoadedConfig,
  run: { readonly sandbox: SandboxWish | undefined; readonly isEphemeral: boolean }
) =>
  service(
    Sandbox,
    Effect.gen(function* () {
      const roots = yield* WorkspaceRoots
      const { tempDir } = yield* RunFolders
      const { warn } = yield* Notices
      return yield* makeSandbox({
        config,
        wish: run.sandbox,
        isEphemeral: run.isEphemeral,
        warn,
        roots: Effect.map(roots.added, (added) => [...new Set([config.environment.cwd, ...roots.included, ...added])]),
        readablePaths: [join(tempDir, "tool-outputs")]
      })
    })
  )

export interface SandboxSurroundings extends Pick<ConfinedOptions, "roots" | "readablePaths" | "warn"> {
  readonly config: Pick<LoadedConfig, "environment" | "settings" | "storage">
  readonly wish: SandboxWish | undefined
  /** What was found out about the machine is not remembered either. */
  readonly isEphemeral?: boolean
}

/**
 * Fails where one is asked for that does not work. Where none is asked for, it is made when the first command runs unasked.
 */
export const makeSandbox = Effect.fnUntraced(function* (
  surroundings: SandboxSurroundings
): Effect.fn.Return<Sandbox["Type"], SandboxUnavailable, Scope.Scope> {
  const { config, wish } = surroundings
  const around = config.environment.get("GEMINI_SANDBOX_REPORT")
  if (isInside(config) && around !== undefined) {
    const { reportFrom } = yield* lazy(() => import("./process/process-report.ts"))
    return { ...none, report: Effect.succeed(reportFrom(around)) } satisfies Sandbox["Type"]
  }
  const built = lazy(() => import("./build-sandbox.ts"))
  if (wish !== undefined) return yield* Effect.flatMap(built, ({ askedSandbox }) => askedSandbox(surroundings, wish))
  if (!confinesUnasked(config)) return none
  const scope = yield* Effect.scope
  const made = yield* cachedOnce(
    Effect.flatMap(built, ({ unaskedSandbox }) => unaskedSandbox(surroundings)).pipe(
      Effect.provideService(Scope.Scope, scope)
    )
  )
  return {
    ...none,
    confines: (access) =>
      access === "write" ? Effect.succeed(false) : Effect.flatMap(made, ({ confines }) => confines(access)),
    expansion: (request) =>
      request.how.access === "write"
        ? Effect.succeed(undefined)
        : Effect.flatMap(made, ({ expansion }) => expansion(request)),
    confine: (program, how) =>
      how.access === "write" ? Effect.succeed(program) : Effect.flatMap(made, ({ confine }) => confine(program, how))
  } satisfies Sandbox["Type"]
})

const confinesUnasked = ({ environment, settings }: SandboxSurroundings["config"]): boolean =>
  environment.platform === "linux" && settings.get("security.sandboxUnasked") && !isInside({ environment })

const isInside = ({ environment }: Pick<LoadedConfig, "environment">): boolean =>
  (environment.get("SANDBOX") ?? "").trim() !== ""
