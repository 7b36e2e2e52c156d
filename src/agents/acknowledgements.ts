/**
 * Which agents of a project the user has agreed to: `~/.gemini/acknowledgments/agents.json`, by project and name, with
 * the fingerprint of what was agreed to. A changed agent has to be agreed to again.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Option, Schema } from "effect"
import { withLock } from "../config/lock.ts"
import { StorageError } from "../config/storage-error.ts"
import { writeFileAtomic } from "../kernel/atomic-write.ts"
import { readRegularFile } from "../kernel/regular-file.ts"

/** Fingerprints by name. */
export type Agreed = Readonly<Record<string, string>>

const Store = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Schema.String }) })
)
type Store = typeof Store.Type

const MAX_BYTES = 4 * 1024 * 1024

/** An unreadable store means that nothing was agreed to. */
export const agreedIn = (file: string, project: string): Agreed => {
  const store = read(file)
  return Object.hasOwn(store, project) ? (store[project] ?? {}) : {}
}

export const isAgreed = (
  agreed: Agreed,
  { fingerprint, name }: { readonly name: string; readonly fingerprint: string }
) => Object.hasOwn(agreed, name) && agreed[name] === fingerprint

/** Adds to what was agreed to before. */
export const agree = Effect.fn("Agents.agree")(function* (file: string, project: string, added: Agreed) {
  yield* Effect.try({
    try: () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }),
    catch: (cause) => new StorageError({ path: dirname(file), kind: "write", detail: String(cause) })
  })
  const change = Effect.suspend(() => {
    const store = read(file)
    const next: Store = { ...store, [project]: { ...agreedIn(file, project), ...added } }
    return writeFileAtomic({ file, content: `${JSON.stringify(next, null, 2)}\n`, mode: 0o600 }).pipe(
      Effect.mapError(({ code }) => new StorageError({ path: file, kind: "write", detail: code }))
    )
  })
  yield* withLock(file, change)
})

const read = (file: string): Store => {
  const content = readRegularFile(file, MAX_BYTES)
  if (content.kind !== "text") return {}
  return Option.getOrElse(Schema.decodeUnknownOption(Store)(content.text), () => ({}))
}
