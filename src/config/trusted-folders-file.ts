/**
 * `trustedFolders.json`: rules by path, kept for the user alone, also for folders that join the workspace. A file that
 * cannot be understood stops the program.
 */

import { mkdirSync, realpathSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Schema } from "effect"
import { lazy } from "../kernel/lazy.ts"
import { positionAt } from "../kernel/text-position.ts"
import { codeOf, writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { StorageError } from "../system/storage-error.ts"
import { ConfigError, type ConfigIssue } from "./config-error.ts"
import { type LocatedRule, TrustLevel, trustByRules } from "./folder-trust.ts"
import type { LoadedConfig } from "./load.ts"

const MAX_BYTES = 10 * 1024 * 1024

/** No file means no rules. */
export const readTrustedFolders = Effect.fn("FolderTrust.read")(function* (file: string) {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") return []
  if (content.kind === "refused") return yield* new ConfigError({ issues: [{ file, message: content.reason }] })
  return yield* parseRules(file, content.text)
})

const parseRules = Effect.fnUntraced(function* (file: string, text: string) {
  const { parseJsonc, properties } = yield* lazy(() => import("./jsonc-node.ts"))
  const parsed = parseJsonc(text)
  if (parsed.kind === "empty") return []
  const isLevel = Schema.is(TrustLevel)
  const rules: Array<LocatedRule> = []
  const issues: Array<ConfigIssue> = []
  if (parsed.kind === "broken") issues.push(...parsed.faults.map((fault) => ({ ...fault, file })))
  else if (parsed.root.type !== "object") issues.push({ file, message: "must be one JSON object" })
  else {
    for (const { name, value } of properties(parsed.root)) {
      const level: unknown = value.value
      const path = String(name.value)
      if (isLevel(level)) rules.push({ path, level, realPath: realPathOf(path) })
      else {
        const message = 'expected "TRUST_FOLDER", "TRUST_PARENT" or "DO_NOT_TRUST"'
        issues.push({ file, ...positionAt(text, value.offset), key: path, message })
      }
    }
  }
  const [first, ...rest] = issues
  if (first !== undefined) return yield* new ConfigError({ issues: [first, ...rest] })
  return rules
})

/** Adds or changes one rule; comments and the other rules of the file stay. */
export const saveTrust = Effect.fn("FolderTrust.save")(function* (file: string, path: string, level: TrustLevel) {
  // The lock stands beside the file, so its folder must be there first.
  yield* Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: codeOf(cause) })
  })
  yield* withLock(
    file,
    Effect.gen(function* () {
      const content = readRegularFile(file, MAX_BYTES)
      if (content.kind === "refused")
        return yield* new StorageError({ path: file, kind: "write", detail: content.reason })
      const text = content.kind === "text" ? content.text : ""
      // Never written over something that is not understood.
      yield* parseRules(file, text)
      const { editJsonc } = yield* lazy(() => import("./jsonc-edit.ts"))
      yield* writeFileAtomic({ file, content: editJsonc(text, [path], level), mode: 0o600 }).pipe(
        Effect.mapError((error) => new StorageError({ path: file, kind: "write", detail: error.code }))
      )
    })
  )
})

const realPathOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

/**
 * Whether a folder beside the working one may join the workspace: the same rules of trust hold for it.
 * `folder`: a real path.
 */
export const isTrustedDirectory = Effect.fnUntraced(function* (
  { environment, settings, storage }: Pick<LoadedConfig, "environment" | "settings" | "storage">,
  folder: string
) {
  if (!settings.get("security.folderTrust.enabled")) return true
  if (environment.get("GEMINI_CLI_TRUST_WORKSPACE") === "true") return true
  const rules = yield* readTrustedFolders(storage.trustedFoldersFile)
  const { platform } = environment
  const question = { skipTrust: false, variable: undefined, isFeatureOn: true, cwd: folder, platform }
  return trustByRules(question, rules).trust === "trusted"
})
