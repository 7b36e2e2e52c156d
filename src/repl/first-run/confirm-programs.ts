/** Asks about programs of the project that nobody has confirmed in their present form. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { isLasting } from "../../config/folder-trust.ts"
import type { LoadedConfig } from "../../config/load.ts"
import { lazy } from "../../kernel/lazy.ts"
import { printWords } from "../printed-text.ts"
import { Screen } from "../terminal/screen.ts"

const NONE: ReadonlySet<string> = new Set()

/** The fingerprints of those that may run in this session. A new conversation (`/clear`) does not ask again. */
export const confirmPrograms = Effect.fnUntraced(function* (
  config: LoadedConfig,
  { isNewConversation }: { readonly isNewConversation: boolean }
) {
  const { environment, storage, trust } = config
  const mayAsk = !isNewConversation && isLasting(trust.reason) && trust.trust === "trusted"
  if (!mayAsk || !hasOwnSettings(config)) return NONE
  const { projectPrograms } = yield* lazy(() => import("./project-programs.ts"))
  const { pendingPrograms } = yield* lazy(() => import("../../config/programs/pending-programs.ts"))
  const programs = yield* projectPrograms(config)
  const { isChange, pending } = pendingPrograms(programs, config)
  if (pending.length === 0) return NONE
  const { askPrograms } = yield* lazy(() => import("./programs-question.ts"))
  if (!(yield* askPrograms(pending, isChange))) return NONE
  const screen = yield* Screen
  const fingerprints = programs.map(({ fingerprint }) => fingerprint)
  const { saveTrusted } = yield* lazy(() => import("../../config/programs/trusted-programs-file.ts"))
  yield* saveTrusted(storage.trustedHooksFile, environment.cwd, fingerprints).pipe(
    Effect.catchAll((error) => printWords(screen, `The answer counts for this session only: ${error.message}`))
  )
  return new Set(fingerprints)
})

/** Everything that is confirmed stands in one of these files. */
const hasOwnSettings = ({ storage }: LoadedConfig): boolean =>
  existsSync(storage.projectSettingsFile) || existsSync(join(storage.projectDir, "hooks.toml"))
