/**
 * The extensions of a run. This file is all that a run without extensions loads, and all that it does is to look into one
 * folder.
 */

import { readdirSync } from "node:fs"
import { Effect } from "effect"
import { lazy } from "../kernel/lazy.ts"
import type { EnabledExtension } from "../protocol/run-facts.ts"
import type { ExtensionConfig } from "./extension-config.ts"

export interface LoadedExtensions {
  /** Those that are on in this folder, by name. */
  readonly extensions: ReadonlyArray<EnabledExtension>
  /** What was left out or is missing, one line each. */
  readonly notices: ReadonlyArray<string>
}

export interface LoadExtensionsInput {
  readonly config: ExtensionConfig
  /** `-e`: only these, on or off; `none` is no extension at all. Absent: what the rules say. */
  readonly named?: ReadonlyArray<string> | undefined
  /** `--bare`: prompt and model only. */
  readonly isBare?: boolean
  /** Turned on or off for this session only, by name. */
  readonly session?: ReadonlyMap<string, boolean>
}

const NONE: LoadedExtensions = { extensions: [], notices: [] }

export const loadExtensions = Effect.fn("Extensions.load")(function* (input: LoadExtensionsInput) {
  const wantsNone = input.named?.length === 1 && input.named[0]?.toLowerCase() === "none"
  if (input.isBare === true || wantsNone) return NONE
  if (!hasEntries(input.config.storage.extensionsDir) && input.named === undefined) return NONE
  const { loadEnabled } = yield* lazy(() => import("./load-enabled.ts"))
  return yield* loadEnabled(input)
})

const hasEntries = (folder: string): boolean => {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}
