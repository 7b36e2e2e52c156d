/** The first way through the input, before anything is sent: how many items there are, and whether two have one key. */
import { Effect } from "effect"
import { oneLine } from "../../kernel/one-line.ts"
import { BatchError, badInput, storageFault } from "../batch-error.ts"
import { KeyIndex } from "../key-index.ts"
import { effectiveKey } from "./batch-item.ts"
import type { InputSource } from "./input-source.ts"

export interface Survey {
  readonly items: number
  /** Those of the shard. */
  readonly ownItems: number
}

export const surveyInput = (
  source: InputSource,
  keyField: string | undefined,
  shard: Shard | undefined
): Effect.Effect<Survey, BatchError> =>
  Effect.suspend(() =>
    Effect.try({
      try: () => survey(source, keyField, shard),
      catch: (cause) => (cause instanceof BatchError ? cause : storageFault(source.name, "read", cause))
    })
  )

const survey = (source: InputSource, keyField: string | undefined, shard: Shard | undefined): Survey => {
  let ownItems = 0
  const keys = new KeyIndex()
  for (const item of source.items()) {
    const key = effectiveKey(item, keyField)
    const before = keys.size
    if (keys.add(key) < before) throw duplicate(source, keyField, { key, line: item.line })
    if (isInShard(key, shard)) ownItems += 1
  }
  if (keys.size === 0) throw badInput(`${source.name} has no items`, "A line is a JSON object or a JSON text.")
  return { items: keys.size, ownItems }
}

const KEY_LENGTH = 80

const duplicate = (
  source: InputSource,
  keyField: string | undefined,
  second: { readonly key: string; readonly line: number }
): BatchError => {
  for (const item of source.items()) {
    if (effectiveKey(item, keyField) === second.key && item.line !== second.line) {
      return badInput(
        `${source.name}: the lines ${item.line} and ${second.line} have the same key "${oneLine(second.key, KEY_LENGTH)}"`,
        "Nothing was sent. Make keys unique, or name another field with --key."
      )
    }
  }
  return badInput(
    `${source.name}:${second.line}: the key "${oneLine(second.key, KEY_LENGTH)}" cannot be told from another one`,
    "Two keys have one hash, which nearly never happens: change the key."
  )
}

export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
}

/** The same everywhere and for ever: shards run on different machines. */
export const isInShard = (key: string, shard: Shard | undefined): boolean =>
  shard === undefined || Bun.hash.crc32(key) % shard.count === shard.index - 1
