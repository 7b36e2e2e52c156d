/**
 * `extension-enablement.json`: the rules of all extensions, shared with other versions of the program. A file that cannot
 * be understood is never written over; until it is mended every extension counts as on, and that is said.
 */

import { mkdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Either, Schema } from "effect"
import { lazy } from "../kernel/lazy.ts"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { ExtensionError, onDisk, storageFailure } from "./extension-error.ts"

const Rules = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ overrides: Schema.Array(Schema.String) })
})

/** By name of the extension. */
export type EnablementRules = ReadonlyMap<string, ReadonlyArray<string>>

const MAX_BYTES = 4 * 1024 * 1024

/** What begins so beside it belongs to it: the lock of a program that changes it now. */
export const ENABLEMENT_NAME = "extension-enablement.json"

export const enablementFile = (extensionsDir: string): string => join(extensionsDir, ENABLEMENT_NAME)

/** No file: no rules. A broken one is the `Left`, in words. */
export const readEnablement = (file: string): Either.Either<EnablementRules, string> => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind === "missing") return Either.right(new Map())
  if (content.kind === "refused") return Either.left(content.reason)
  return Schema.decodeUnknownEither(Schema.parseJson(Rules))(content.text.trim() === "" ? "{}" : content.text).pipe(
    Either.map((rules) => new Map(Object.entries(rules).map(([name, { overrides }]) => [name, overrides] as const))),
    Either.mapLeft(() => 'is not of the form { "<extension>": { "overrides": ["/folder/*"] } }')
  )
}

/** Fails where `changeRules` would, before anything else is done. */
export const rulesToChange = (file: string): Effect.Effect<EnablementRules, ExtensionError> =>
  Either.match(readEnablement(file), {
    onLeft: (reason) =>
      new ExtensionError({
        kind: "storage",
        detail: `${file} ${reason}.`,
        advice: "Correct the file, or remove it: every extension is on then."
      }),
    onRight: (rules) => Effect.succeed(rules)
  })

/**
 * Replaces the rules of one extension; `undefined` forgets it. The layout of the rest stays as it is, and a file that
 * says nothing any more is removed.
 */
export const changeRules = Effect.fn("Extensions.changeRules")(function* (
  file: string,
  name: string,
  change: (rules: ReadonlyArray<string>) => ReadonlyArray<string> | undefined
) {
  yield* onDisk(dirname(file), () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }))
  const rewrite = Effect.gen(function* () {
    const known = yield* rulesToChange(file)
    const before = known.get(name)
    const next = change(before ?? [])
    if (next === undefined && before === undefined) return
    if (next === undefined && known.size === 1) return yield* Effect.sync(() => rmSync(file, { force: true }))
    const { editJsonc } = yield* lazy(() => import("../config/jsonc-edit.ts"))
    const content = readRegularFile(file, MAX_BYTES)
    const text = content.kind === "text" ? content.text : ""
    const value = next === undefined ? undefined : { overrides: next }
    yield* Effect.mapError(
      writeFileAtomic({ file, content: editJsonc(text, [name], value), mode: 0o600 }),
      ({ code }) => storageFailure(file, code)
    )
  })
  yield* Effect.catchTag(
    withLock(file, rewrite),
    "StorageError",
    ({ message }) => new ExtensionError({ kind: "storage", detail: message })
  )
})
