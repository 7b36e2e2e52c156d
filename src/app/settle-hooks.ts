/** Asks about hooks of the project that nobody has confirmed in their present form. */
import { Effect } from "effect"
import { hasHooks } from "../hooks/hooks-configured.ts"
import { printWords } from "../repl/printed-text.ts"
import { Screen } from "../repl/terminal/screen.ts"
import type { SessionStart } from "./line-session.ts"

const NONE: ReadonlySet<string> = new Set()

/** The fingerprints of those that may run in this session. A new conversation (`/clear`) does not ask again. */
export const settleHooks = Effect.fnUntraced(function* ({ config, conversation, greets }: SessionStart) {
  const { environment, storage, trust } = config
  const mayAsk = (greets || conversation !== undefined) && trust.reason === "rule" && trust.trust === "trusted"
  if (!mayAsk || !hasHooks(config, [])) return NONE
  const { findHooks } = yield* Effect.promise(() => import("../hooks/hooks-from-config.ts"))
  const { fingerprints, isChange, pending } = yield* findHooks(config, [])
  if (pending.length === 0) return NONE
  const { askHooks } = yield* Effect.promise(() => import("../repl/first-run/hooks-question.ts"))
  if (!(yield* askHooks(pending, isChange))) return NONE
  const screen = yield* Screen
  const { saveTrusted } = yield* Effect.promise(() => import("../hooks/trusted-hooks-file.ts"))
  yield* saveTrusted(storage.trustedHooksFile, environment.cwd, fingerprints).pipe(
    Effect.catchAll((error) => printWords(screen, `The answer counts for this session only: ${error.message}`))
  )
  return new Set(fingerprints)
})
