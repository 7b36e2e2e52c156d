/** The folders of the workspace beside the working one: those that a run begins with, and those that join it. */
import { Context, Effect, Ref } from "effect"
import { service } from "../kernel/layers.ts"
import { includeDirectories } from "./include-directories.ts"
import type { LoadedConfig } from "./load.ts"

export class WorkspaceRoots extends Context.Tag("agent/config/WorkspaceRoots")<
  WorkspaceRoots,
  {
    /** Named by flags, settings and the session; absolute. */
    readonly included: ReadonlyArray<string>
    /** That joined since the run began, real paths. */
    readonly added: Effect.Effect<ReadonlyArray<string>>
    readonly add: (root: string) => Effect.Effect<void>
  }
>() {}

/** `named`: on the command line, or in the session that goes on. */
export const layer = (config: LoadedConfig, named: ReadonlyArray<string>) =>
  service(
    WorkspaceRoots,
    Effect.map(Ref.make<ReadonlyArray<string>>([]), (added) => ({
      included: [...new Set(includeDirectories(config, named))],
      added: Ref.get(added),
      add: (root: string) => Ref.update(added, (before) => [...before, root])
    }))
  )
