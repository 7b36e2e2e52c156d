/** The hooks of a run. Where none is configured, a few lookups and two `stat` calls are all that they cost. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { LoadedConfig } from "../config/load.ts"
import { service, withLayer } from "../kernel/layers.ts"
import { lazy } from "../kernel/lazy.ts"
import { type RunFacts, UnwatchedCommands } from "../protocol/run-facts.ts"
import type { Hook } from "./hook.ts"
import { HOOK_EVENTS } from "./hook-event.ts"
import { Hooks, none } from "./hooks.ts"
import type { HookFacts } from "./start-hooks.ts"

export const layer = (config: LoadedConfig, run: HookFacts & Pick<RunFacts, "isBare">) =>
  service(
    Hooks,
    run.isBare || !hasHooks(config, run.extensions)
      ? Effect.succeed(none)
      : Effect.flatMap(
          lazy(() => import("./start-hooks.ts")),
          ({ startHooks }) => startHooks(config, run)
        )
  ).pipe(withLayer(unwatchedCommands))

const hasHooks = ({ settings, storage, trust }: LoadedConfig, extensions: RunFacts["extensions"]): boolean =>
  settings.get("hooksConfig.enabled") &&
  (HOOK_EVENTS.some((event) => settings.get(`hooks.${event}`).length > 0) ||
    existsSync(join(storage.userDir, "hooks.toml")) ||
    (trust.trust === "trusted" && existsSync(join(storage.projectDir, "hooks.toml"))) ||
    extensions.some(({ hooks }) => Object.keys(hooks).length > 0))

const unwatchedCommands = service(
  UnwatchedCommands,
  Effect.map(Hooks, ({ list }) => Effect.map(list, (all) => all.flatMap(({ hook }) => unwatched(hook))))
)

/** A hook of the project does not run once its files have changed; of the others nobody looks at the files. */
const unwatched = ({ accepted, command }: Hook): ReadonlyArray<string> => (accepted === undefined ? [command] : [])
