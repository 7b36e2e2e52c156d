/**
 * Which state of a project's policy files the user has agreed to: a hash of their names and contents, kept in the
 * user's own folder. A changed or added file makes the agreement void.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Either, Schema } from "effect"
import { writeAtomically } from "../files/atomic-write.ts"
import { realPathOf } from "../files/real-path.ts"

export interface HashedFile {
  /** Relative to the project. */
  readonly path: string
  readonly content: string
}

export const hashOf = (files: ReadonlyArray<HashedFile>): string => {
  const hash = new Bun.CryptoHasher("sha256")
  for (const file of files.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    hash.update(`${file.path}\0${file.content}\0`)
  }
  return hash.digest("hex")
}

const storeOf = (geminiDir: string): string => join(geminiDir, "policy_integrity.json")

/** An unreadable store means that nothing was agreed to. */
const readStore = (geminiDir: string): Readonly<Record<string, string>> => {
  const Store = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))
  const text = Either.try(() => readFileSync(storeOf(geminiDir), "utf8"))
  return Either.getOrElse(Either.flatMap(text, Schema.decodeUnknownEither(Store)), () => ({}))
}

export const isAccepted = (geminiDir: string, project: string, hash: string): boolean => {
  const store = readStore(geminiDir)
  const key = `workspace:${project}`
  return Object.hasOwn(store, key) && store[key] === hash
}

export const accept = Effect.fn("Policy.acceptWorkspace")(function* (geminiDir: string, project: string, hash: string) {
  const store = { ...readStore(geminiDir), [`workspace:${project}`]: hash }
  const file = storeOf(geminiDir)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  yield* writeAtomically(realPathOf(file), Buffer.from(`${JSON.stringify(store, null, 2)}\n`), { mode: 0o600 })
})
