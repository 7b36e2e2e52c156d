/**
 * The seal of what was installed: for each extension a hash of its install metadata with an HMAC, and an HMAC over the
 * whole file. Pure; `integrity-store.ts` keeps the file and the key. Whoever can write the metadata but not the key cannot
 * send updates to another source unnoticed.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { Schema } from "effect"
import type { InstallMetadata } from "./source.ts"

const Seal = Schema.Struct({ hash: Schema.String, signature: Schema.String })
export type Seal = typeof Seal.Type

export const IntegrityFile = Schema.Struct({
  store: Schema.Record({ key: Schema.String, value: Seal }),
  signature: Schema.String
})
export type IntegrityFile = typeof IntegrityFile.Type
export type Seals = IntegrityFile["store"]

export type Verdict = "sealed" | "unsealed" | "broken"

export const sealOf = (metadata: InstallMetadata, key: string): Seal => {
  const hash = createHash("sha256").update(canonicalJson(metadata)).digest("hex")
  return { hash, signature: hmac(hash, key) }
}

export const signedFile = (store: Seals, key: string): IntegrityFile => ({
  store,
  signature: hmac(canonicalJson(store), key)
})

export const isGenuine = ({ signature, store }: IntegrityFile, key: string): boolean =>
  isSame(signature, hmac(canonicalJson(store), key))

/** An extension that was never sealed is accepted: older versions did not seal. */
export const verify = (seals: Seals, name: string, metadata: InstallMetadata, key: string): Verdict => {
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
