/**
 * `trusted_hooks.json`: the fingerprints of project hooks that the person confirmed, by project. A file that cannot be
 * read means that nothing was confirmed. Entries of other programs in it stay.
 */
import { Effect, Either, Schema } from "effect"
import { changeOwnFile } from "../config/own-file.ts"
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
export const saveTrusted = Effect.fn("Hooks.saveTrusted")(
  (file: string, project: string, fingerprints: ReadonlyArray<string>) =>
    changeOwnFile(file, () => {
      const store = readStore(file)
      const present = Object.hasOwn(store, project) ? (store[project] ?? []) : []
      const foreign = present.filter((entry) => !entry.startsWith("sha256:"))
      return `${JSON.stringify({ ...store, [project]: [...foreign, ...fingerprints] }, null, 2)}\n`
    })
)

const readStore = (file: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return {}
  const Store = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }))
  return Either.getOrElse(Schema.decodeUnknownEither(Store)(content.text), () => ({}))
}
