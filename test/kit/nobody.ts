/** Root may read and write everything, so tests of permissions become somebody else until their scope ends. */
import { Effect } from "effect"

const NOBODY = 65534

export const asNobody = Effect.acquireRelease(
  Effect.sync(() => process.getuid?.() === 0 && process.seteuid?.(NOBODY)),
  () => Effect.sync(() => process.getuid?.() === 0 && process.seteuid?.(0))
)
