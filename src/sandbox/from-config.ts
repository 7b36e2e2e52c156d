/** The sandbox that flags, variables and settings ask for. */
import { resolve } from "node:path"
import { Effect, Schema } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { SandboxSetting } from "../config/setting-schema/sandbox-setting.ts"
import type { SettingKey } from "../config/setting-table.ts"
import type { SettingsView } from "../config/settings.ts"
import { cachedOnce } from "../kernel/cached-once.ts"
import { chooseSandbox, type SandboxWish } from "./choose-sandbox.ts"
import { type ConfinedOptions, makeConfined } from "./confined-programs.ts"
import { findBackend, type ProbeOptions } from "./probe-backend.ts"
import { none, type Sandbox } from "./sandbox.ts"

/** `undefined`: none is asked for. */
export const wishOf = (
  { environment, settings }: Pick<LoadedConfig, "environment" | "settings">,
  flag: boolean | string | undefined
) =>
  chooseSandbox({
    flag,
    variable: environment.get("GEMINI_SANDBOX"),
    setting: settings.get("tools.sandbox"),
    userSetting: sandboxOfUser(settings),
    toolSandboxing: settings.get("security.toolSandboxing") || ofUser(settings, "security.toolSandboxing") === true,
    allowedPaths: settings.get("tools.sandboxAllowedPaths"),
    networkAccess:
      settings.get("tools.sandboxNetworkAccess") && ofUser(settings, "tools.sandboxNetworkAccess") !== false,
    isInside: (environment.get("SANDBOX") ?? "").trim() !== "",
    platform: environment.platform
  })

/** What everybody but the project says; a project cannot take away what its user wants. */
const ofUser = (settings: SettingsView, key: SettingKey): unknown =>
  settings
    .explain(key)
    .sources.filter(({ scope }) => scope !== "workspace")
    .at(-1)?.value

const isSandboxSetting = Schema.is(SandboxSetting)

const sandboxOfUser = (settings: SettingsView): SandboxSetting | undefined => {
  const value = ofUser(settings, "tools.sandbox")
  return isSandboxSetting(value) ? value : undefined
}

export interface SandboxSurroundings extends Pick<ConfinedOptions, "roots" | "readablePaths"> {
  readonly config: Pick<LoadedConfig, "environment" | "settings" | "storage">
  readonly wish: SandboxWish | undefined
}

/** Fails where one is asked for that does not work. */
export const makeSandbox = Effect.fnUntraced(function* ({ config, readablePaths, roots, wish }: SandboxSurroundings) {
  const probe = probeOptions(config)
  const surroundings = { roots, readablePaths, home: probe.home, path: probe.path, self: probe.self }
  if (wish !== undefined) {
    const backend = yield* findBackend(wish, probe)
    return yield* makeConfined({
      ...surroundings,
      backend: Effect.succeed(backend),
      reach: "all",
      network: wish.network,
      allowedPaths: wish.allowedPaths.map((path) => expanded(path, config))
    })
  }
  if (!mayConfineUnasked(config)) return none satisfies Sandbox["Type"]
  const backend = yield* cachedOnce(
    findBackend({ candidates: ["bwrap", "landlock"], requestedBy: "security.sandboxUnasked" }, probe).pipe(
      Effect.catchTag("SandboxUnavailable", ({ reasons }) =>
        Effect.as(
          Effect.annotateLogs(Effect.logDebug("commands that run unasked are not confined"), { reasons }),
          undefined
        )
      )
    )
  )
  return yield* makeConfined({ ...surroundings, backend, reach: "unasked", network: false, allowedPaths: [] })
})

const mayConfineUnasked = ({ environment, settings }: SandboxSurroundings["config"]): boolean =>
  environment.platform === "linux" &&
  settings.get("security.sandboxUnasked") &&
  (environment.get("SANDBOX") ?? "") === ""

const probeOptions = ({ environment, storage }: SandboxSurroundings["config"]): ProbeOptions => {
  const home = environment.get("HOME") ?? environment.home
  return {
    path: environment.get("PATH") ?? "/usr/bin:/bin",
    home: home === undefined || home === "" || home === "/" ? undefined : home,
    self: selfCommand(),
    memory: environment.home === undefined ? undefined : `${storage.tempDir}/sandbox-trials.json`
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
