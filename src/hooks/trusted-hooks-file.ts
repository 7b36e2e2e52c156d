/**
 * `trusted_hooks.json`: the fingerprints of project hooks that the person confirmed, by project. A file that cannot be
 * read means that nothing was confirmed. Entries of other programs in it stay.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Either, Schema } from "effect"
import { writeAtomically } from "../files/atomic-write.ts"
import { realPathOf } from "../files/real-path.ts"
import { readRegularFile } from "../kernel/regular-file.ts"

const MAX_BYTES = 10 * 1024 * 1024

/** `undefined`: nothing was ever confirmed for this project. */
export const readTrusted = (file: string, project: string): ReadonlySet<string> | undefined => {
  const store = readStore(file)
  const own = Object.hasOwn(store, project) ? store[project] : undefined
  const prints = own?.filter((entry) => entry.startsWith("sha256:")) ?? []
  return prints.length === 0 ? undefined : new Set(prints)
}

/** Those of today take the place of all earlier ones of the project. */
export const saveTrusted = Effect.fn("Hooks.saveTrusted")(function* (
  file: string,
  project: string,
  fingerprints: ReadonlyArray<string>
) {
  const store = readStore(file)
  const foreign = (Object.hasOwn(store, project) ? store[project] : undefined)?.filter(
    (entry) => !entry.startsWith("sha256:")
  )
  const next = { ...store, [project]: [...(foreign ?? []), ...fingerprints] }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  yield* writeAtomically(realPathOf(file), Buffer.from(`${JSON.stringify(next, null, 2)}\n`), { mode: 0o600 })
})

const readStore = (file: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return {}
  const Store = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }))
  return Either.getOrElse(Schema.decodeUnknownEither(Store)(content.text), () => ({}))
}
