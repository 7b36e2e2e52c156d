/**
 * The folders that a session had beside its own, when it goes on. A session file may have been written by anybody: a
 * folder that is gone, or that nobody trusts, stays outside and is named.
 */
import { statSync } from "node:fs"
import { Effect } from "effect"
import type { LoadedConfig } from "../../config/load.ts"
import { realPathOf } from "../../config/settings-files.ts"
import { isTrustedDirectory } from "../../config/trusted-directory.ts"

export const takeUpDirectories = Effect.fnUntraced(function* (
  config: LoadedConfig,
  recorded: ReadonlyArray<string> | undefined
) {
  const directories: Array<string> = []
  const notices: Array<string> = []
  for (const folder of recorded ?? []) {
    const reason = yield* obstacleOf(config, folder)
    if (reason === undefined) directories.push(folder)
    else notices.push(`[WARNING] ${folder} belonged to this session and is left out: ${reason}`)
  }
  return { directories, notices }
})

const obstacleOf = Effect.fnUntraced(function* (config: LoadedConfig, folder: string) {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return "there is no such folder"
  const isTrusted = yield* Effect.orElseSucceed(isTrustedDirectory(config, realPathOf(folder)), () => false)
  return isTrusted ? undefined : "it is not trusted (/directory add asks)"
})
