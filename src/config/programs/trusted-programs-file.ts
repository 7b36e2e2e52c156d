/**
 * `trusted_hooks.json`: the fingerprints of hooks, servers and commands of a project that the person confirmed, by
 * project. A file that cannot be read means that nothing was confirmed. Entries of other programs in it stay.
 */
import { Effect, Either, Schema } from "effect"
import { readRegularFile } from "../../system/regular-file.ts"
import { changeOwnFile } from "../own-file.ts"
import { isFingerprint } from "./project-program.ts"

const MAX_BYTES = 10 * 1024 * 1024

/** `undefined`: nothing was ever confirmed for this project. */
export const readTrusted = (file: string, project: string): ReadonlySet<string> | undefined => {
  const store = readStore(file)
  const own = Object.hasOwn(store, project) ? store[project] : undefined
  const prints = own?.filter(isFingerprint) ?? []
  return prints.length === 0 ? undefined : new Set(prints)
}

/** Those of today take the place of all earlier ones of the project. */
export const saveTrusted = Effect.fn("Programs.saveTrusted")(
  (file: string, project: string, fingerprints: ReadonlyArray<string>) => change(file, project, () => fingerprints)
)

/** One more beside the earlier ones. */
export const addTrusted = Effect.fn("Programs.addTrusted")((file: string, project: string, fingerprint: string) =>
  change(file, project, (present) => [...present.filter((one) => one !== fingerprint), fingerprint])
)

const change = (file: string, project: string, next: (present: ReadonlyArray<string>) => ReadonlyArray<string>) =>
  changeOwnFile(file, () => {
    const store = readStore(file)
    const present = Object.hasOwn(store, project) ? (store[project] ?? []) : []
    const foreign = present.filter((entry) => !isFingerprint(entry))
    const own = next(present.filter(isFingerprint))
    return `${JSON.stringify({ ...store, [project]: [...foreign, ...own] }, null, 2)}\n`
  })

const readStore = (file: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return {}
  const Store = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }))
  return Either.getOrElse(Schema.decodeUnknownEither(Store)(content.text), () => ({}))
}
