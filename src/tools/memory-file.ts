/** The global context file that `save_memory` writes to, and the way to make the session read it again. */
import { Context, Effect, Layer } from "effect"

export class MemoryFile extends Context.Tag("agent/tools/MemoryFile")<
  MemoryFile,
  {
    /** Absolute; `null` where there is no home folder. */
    readonly path: string | null
    /** Called after each change. */
    readonly reload: Effect.Effect<void>
  }
>() {}

export const layer = (path: string | null, reload: Effect.Effect<void> = Effect.void) =>
  Layer.succeed(MemoryFile, { path, reload })
