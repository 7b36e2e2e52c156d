/** Builds the sandbox of a run: around everything where one is asked for, else around what runs unasked. */
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { cachedOnce } from "../kernel/cached-once.ts"
import { lazy } from "../kernel/lazy.ts"
import type { SandboxWish } from "./choose-sandbox.ts"
import { GRANTS_NAME } from "./command-grants.ts"
import { makeConfined } from "./confined-programs.ts"
import type { SandboxSurroundings } from "./from-config.ts"
import { findBackend, type ProbeOptions } from "./probe-backend.ts"

export const askedSandbox = Effect.fnUntraced(function* (
  { config, isEphemeral, readablePaths, roots, warn }: SandboxSurroundings,
  wish: SandboxWish
) {
  const { memory: _, ...probe } = probeOptions(config, isEphemeral)
  const backend = yield* findBackend(wish, probeOptions(config, isEphemeral))
  const grants = yield* cachedOnce(
    Effect.gen(function* () {
      const { readGrants } = yield* lazy(() => import("./command-grants.live.ts"))
      const { faults, grants } = readGrants(join(config.storage.userPoliciesDir, GRANTS_NAME))
      yield* Effect.forEach(faults, warn, { discard: true })
      return grants
    })
  )
  return yield* makeConfined({
    ...probe,
    roots,
    readablePaths,
    grants,
    grantsFile: join(config.storage.userPoliciesDir, GRANTS_NAME),
    expand: (path) => expanded(path, config),
    backend: Effect.succeed(backend),
    reach: "all",
    network: wish.network,
    variables: proxyVariables(config),
    warn,
    allowedPaths: wish.allowedPaths.map((path) => expanded(path, config))
  })
})

/** Where no back end works, nothing is confined. */
export const unaskedSandbox = Effect.fnUntraced(function* ({
  config,
  isEphemeral,
  readablePaths,
  roots
}: SandboxSurroundings) {
  const { memory: _, ...probe } = probeOptions(config, isEphemeral)
  const wish = { candidates: ["bwrap", "landlock"], requestedBy: "security.sandboxUnasked" } as const
  const backend = yield* cachedOnce(
    findBackend(wish, probeOptions(config, isEphemeral)).pipe(
      Effect.catchTag("SandboxUnavailable", ({ reasons }) =>
        Effect.as(
          Effect.annotateLogs(Effect.logDebug("commands that run unasked are not confined"), { reasons }),
          undefined
        )
      )
    )
  )
  return yield* makeConfined({
    ...probe,
    roots,
    readablePaths,
    grants: Effect.succeed(new Map()),
    grantsFile: join(config.storage.userPoliciesDir, GRANTS_NAME),
    expand: (path) => path,
    backend,
    reach: "unasked",
    network: "off",
    variables: {},
    warn: () => Effect.void,
    allowedPaths: []
  })
})

/** A machine behind a proxy reaches the allowed hosts through it. */
const proxyVariables = ({ environment }: SandboxSurroundings["config"]) =>
  Object.fromEntries(
    ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"].map((name) => [
      name,
      environment.get(name)
    ])
  )

export const probeOptions = (
  { environment, storage }: SandboxSurroundings["config"],
  isEphemeral = false
): ProbeOptions => {
  const home = environment.get("HOME") ?? environment.home
  return {
    path: environment.get("PATH") ?? "/usr/bin:/bin",
    cwd: environment.cwd,
    home: home === undefined || home === "" || home === "/" ? undefined : home,
    self: selfCommand(),
    memory: environment.home === undefined || isEphemeral ? undefined : `${storage.tempDir}/sandbox-trials.json`
  }
}

/** Compiled, the program is one file; from its sources it is started by the runtime. */
const selfCommand = (): ReadonlyArray<string> =>
  import.meta.path.startsWith("/$bunfs/")
    ? [process.execPath]
    : [process.execPath, resolve(import.meta.dir, "../main.ts")]

const expanded = (path: string, { environment }: SandboxSurroundings["config"]): string =>
  resolve(
    environment.cwd,
    path.replace(/^~(?=$|\/)/, () => environment.get("HOME") ?? environment.home ?? "~")
  )
