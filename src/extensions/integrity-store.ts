/**
 * The seal of what was installed, in `~/.gemini/extension_integrity.json`: for each extension a hash of its install
 * metadata with an HMAC, and an HMAC over the whole file. Whoever can write the metadata but not the key cannot send
 * updates to another source unnoticed. The key is in the key store of the system, else in a file for the user alone.
 * When the last seal goes, file and key go with it.
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { bunSecrets, inSystem, type SystemStore } from "../auth/credentials.ts"
import { writeFileAtomic } from "../system/atomic-write.ts"
import { withLock } from "../system/lock.ts"
import { readRegularFile } from "../system/regular-file.ts"
import { ExtensionError, onDisk, storageFailure } from "./extension-error.ts"
import type { InstallMetadata } from "./source.ts"

export interface IntegrityPlace {
  /** `~/.gemini` */
  readonly userDir: string
  /** `GEMINI_FORCE_FILE_STORAGE=true`: never ask the system. */
  readonly fileOnly: boolean
  readonly store?: SystemStore
}

const KEY = { service: "gemini-cli-extension-integrity", account: "secret-key" }
const KEY_BYTES = 32
const MAX_BYTES = 4 * 1024 * 1024

export const seal = (place: IntegrityPlace, name: string, metadata: InstallMetadata) =>
  changeSeals(place, (seals, key) => ({ ...seals, [name]: sealOf(metadata, key) }))

export const unseal = Effect.fnUntraced(function* (place: IntegrityPlace, name: string) {
  // A process that was killed on the way may have left a key or a lock without seals.
  const file = sealFile(place)
  if ([file, keyFile(place), `${file}.lock`].every((path) => !existsSync(path))) return
  yield* changeSeals(place, ({ [name]: _, ...others }) => others)
})

/** A file that was tampered with, or whose key is gone, vouches for nothing. */
export const checkSeal = Effect.fn("Extensions.checkSeal")(function* (
  place: IntegrityPlace,
  name: string,
  metadata: InstallMetadata
): Effect.fn.Return<Verdict> {
  if (readRegularFile(sealFile(place), MAX_BYTES).kind === "missing") return "unsealed"
  const key = yield* knownKey(place)
  const file = readSeals(place)
  if (key === undefined || file === undefined || !isGenuine(file, key)) return "broken"
  return verify(file.store, name, metadata, key)
})

const sealFile = ({ userDir }: IntegrityPlace): string => join(userDir, "extension_integrity.json")
const keyFile = ({ userDir }: IntegrityPlace): string => join(userDir, "integrity.key")

const changeSeals = (place: IntegrityPlace, change: (seals: Seals, key: string) => Seals) => {
  const file = sealFile(place)
  const rewrite = Effect.gen(function* () {
    const key = (yield* knownKey(place)) ?? (yield* newKey(place))
    const known = readSeals(place)
    // Seals that cannot be vouched for are not signed anew.
    const next = change(known !== undefined && isGenuine(known, key) ? known.store : {}, key)
    if (Object.keys(next).length === 0) return yield* forgetAll(place)
    const content = `${JSON.stringify(signedFile(next, key), null, 2)}\n`
    yield* Effect.mapError(writeFileAtomic({ file, content, mode: 0o600 }), ({ code }) => storageFailure(file, code))
  })
  return ownFolder(place).pipe(
    Effect.zipRight(withLock(file, rewrite)),
    Effect.catchTag("StorageError", ({ message }) => new ExtensionError({ kind: "storage", detail: message }))
  )
}

const ownFolder = ({ userDir }: IntegrityPlace) =>
  onDisk(userDir, () => void mkdirSync(userDir, { recursive: true, mode: 0o700 }))

const readSeals = (place: IntegrityPlace): IntegrityFile | undefined => {
  const content = readRegularFile(sealFile(place), MAX_BYTES)
  if (content.kind !== "text") return undefined
  return Option.getOrUndefined(Schema.decodeUnknownOption(Schema.parseJson(IntegrityFile))(content.text))
}

const knownKey = Effect.fnUntraced(function* (place: IntegrityPlace) {
  const kept = place.fileOnly ? Option.none() : yield* inSystem(() => (place.store ?? bunSecrets).get(KEY))
  const fromSystem = Option.getOrUndefined(kept)
  if (typeof fromSystem === "string" && fromSystem !== "") return fromSystem
  const content = readRegularFile(keyFile(place), MAX_BYTES)
  const key = content.kind === "text" ? content.text.trim() : ""
  return key === "" ? undefined : key
})

/** What the system takes is read back: some stores accept everything and keep nothing. */
const newKey = Effect.fnUntraced(function* (place: IntegrityPlace) {
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString("hex")
  const store = place.store ?? bunSecrets
  const isKept = place.fileOnly
    ? Option.none()
    : yield* inSystem(async () => {
        await store.set(KEY, key)
        return (await store.get(KEY)) === key
      })
  if (Option.contains(isKept, true)) return key
  const file = keyFile(place)
  yield* Effect.mapError(writeFileAtomic({ file, content: key, mode: 0o600 }), ({ code }) => storageFailure(file, code))
  return key
})

const forgetAll = Effect.fnUntraced(function* (place: IntegrityPlace) {
  if (!place.fileOnly) yield* inSystem(() => (place.store ?? bunSecrets).delete(KEY))
  yield* Effect.sync(() => {
    rmSync(sealFile(place), { force: true })
    rmSync(keyFile(place), { force: true })
  })
})

const Seal = Schema.Struct({ hash: Schema.String, signature: Schema.String })
type Seal = typeof Seal.Type

const IntegrityFile = Schema.Struct({
  store: Schema.Record({ key: Schema.String, value: Seal }),
  signature: Schema.String
})
type IntegrityFile = typeof IntegrityFile.Type
type Seals = IntegrityFile["store"]

type Verdict = "sealed" | "unsealed" | "broken"

const sealOf = (metadata: InstallMetadata, key: string): Seal => {
  const hash = createHash("sha256").update(canonicalJson(metadata)).digest("hex")
  return { hash, signature: hmac(hash, key) }
}

const signedFile = (store: Seals, key: string): IntegrityFile => ({
  store,
  signature: hmac(canonicalJson(store), key)
})

const isGenuine = ({ signature, store }: IntegrityFile, key: string): boolean =>
  isSame(signature, hmac(canonicalJson(store), key))

/** An extension that was never sealed is accepted: older versions did not seal. */
const verify = (seals: Seals, name: string, metadata: InstallMetadata, key: string): Verdict => {
  const seal = Object.hasOwn(seals, name) ? seals[name] : undefined
  if (seal === undefined) return "unsealed"
  const expected = sealOf(metadata, key)
  return isSame(seal.hash, expected.hash) && isSame(seal.signature, expected.signature) ? "sealed" : "broken"
}

const hmac = (text: string, key: string): string => createHmac("sha256", key).update(text).digest("hex")

const isSame = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The same text whatever the order of the names. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member
  )
