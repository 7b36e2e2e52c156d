/**
 * Files that were taken back together with the conversation: what the model saw of them since is not said any more, so
 * its next edit is not one against an old picture.
 */
import { realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { Context, Effect } from "effect"
import { ReadLedger } from "../../files/read-ledger.ts"
import { LazyServices } from "../../tools/lazy-services.ts"

/** Absolute paths, of which some may be gone. */
export const forgetReads = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const { services } = yield* LazyServices
  const ledger = Context.get(yield* services, ReadLedger)
  yield* Effect.forEach(paths, (path) => ledger.forget(realPathOf(path)), { discard: true })
})

const realPathOf = (path: string): string => {
  try {
    return join(realpathSync(dirname(path)), path.slice(dirname(path).length))
  } catch {
    return path
  }
}
