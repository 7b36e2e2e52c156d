/**
 * The outputs of shards joined to one: each key once, no shard missing, none unfinished. Where something is wrong it is
 * all said, and nothing is written.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { Effect, Predicate } from "effect"
import { oneLine } from "../kernel/one-line.ts"
import { statOrNone } from "../system/regular-file.ts"
import { BatchError, storageFault } from "./batch-error.ts"
import { shardIn } from "./batch-request.ts"
import { linesOf } from "./input/line-reader.ts"
import { readJournal } from "./journal/journal-reader.ts"
import type { BatchPlan } from "./journal/journal-record.ts"
import { journalOf } from "./journal/result-store.ts"
import { KeyIndex } from "./key-index.ts"

export interface MergeResult {
  readonly items: number
  readonly failed: number
  /** Nothing is known about the completeness of these: their journal is missing. */
  readonly unchecked: ReadonlyArray<string>
}

/** `output`: a file; the lines go to `write` where it is absent. */
export const mergeOutputs = (
  paths: ReadonlyArray<string>,
  output: string | undefined,
  write: (text: string) => Effect.Effect<void>
): Effect.Effect<MergeResult, BatchError> =>
  Effect.gen(function* () {
    const inputs = paths.filter((path) => path !== output)
    const faults: Array<string> = []
    const unchecked: Array<string> = []
    const plans: Array<readonly [path: string, plan: BatchPlan]> = []
    for (const path of inputs) {
      const stat = statOrNone(path)
      if (stat?.isFile() !== true) {
        faults.push(`${path} ${stat === undefined ? "does not exist" : "is not a regular file"}`)
        continue
      }
      let done = 0
      const state = yield* readJournal(journalOf(path), path, () => {
        done += 1
      })
      if (state === undefined) unchecked.push(path)
      else {
        plans.push([path, state.plan.plan])
        const left = state.plan.plan.items - done
        if (left > 0) faults.push(`${path} is not finished: ${left} of ${state.plan.plan.items} items are missing`)
      }
    }
    faults.push(...shardFaults(inputs, plans))
    if (faults.length === 0) {
      const counted = yield* Effect.try({
        try: () => countLines(inputs, faults),
        catch: (cause) => storageFault("an output", "read", cause)
      })
      if (faults.length === 0) {
        yield* copyLines(inputs, output, write)
        return { ...counted, unchecked }
      }
    }
    return yield* new BatchError({
      kind: "storage",
      message: `the outputs cannot be joined: ${faults.slice(0, MOST_FAULTS).join("; ")}${faults.length > MOST_FAULTS ? `; and ${faults.length - MOST_FAULTS} more` : ""}`,
      hint: "Nothing was written."
    })
  })

const MOST_FAULTS = 10
const KEY_LENGTH = 60

const shardFaults = (
  paths: ReadonlyArray<string>,
  plans: ReadonlyArray<readonly [path: string, plan: BatchPlan]>
): ReadonlyArray<string> => {
  const [first] = plans
  const others = plans.filter(
    ([, plan]) =>
      first !== undefined &&
      (plan.input.fingerprint !== first[1].input.fingerprint ||
        JSON.stringify(plan.options) !== JSON.stringify(first[1].options))
  )
  const shards = paths.flatMap((path) => plans.find(([one]) => one === path)?.[1].shard ?? shardIn(path) ?? [])
  const counts = [...new Set(shards.map(({ count }) => count))]
  const [count = 0] = counts
  const missing = Array.from({ length: Math.min(count, 100_000) }, (_, index) => index + 1).filter(
    (index) => !shards.some((shard) => shard.index === index)
  )
  return [
    ...others.map(([path]) => `${path} was made from another input or with other options than ${first?.[0]}`),
    ...(counts.length > 1
      ? [`they are shards of different divisions (${counts.map((one) => `of ${one}`).join(", ")})`]
      : []),
    ...(counts.length === 1 && missing.length > 0 ? [`shard ${missing.join(", ")} of ${count} is missing`] : [])
  ]
}

const countLines = (paths: ReadonlyArray<string>, faults: Array<string>) => {
  const keys = new KeyIndex()
  let failed = 0
  for (const path of paths) {
    for (const { number, text } of linesOf(path)) {
      if (text.trim() === "") continue
      const line = keyAndStatus(text)
      if (line === undefined) {
        faults.push(`${path}:${number} is no answer of a batch`)
        continue
      }
      const before = keys.size
      if (keys.add(line.key) < before)
        faults.push(`${path}:${number}: the key "${oneLine(line.key, KEY_LENGTH)}" comes twice`)
      if (line.status === "error") failed += 1
    }
  }
  return { items: keys.size, failed }
}

const keyAndStatus = (text: string): { readonly key: string; readonly status: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return Predicate.isRecord(value) && typeof value.key === "string"
      ? { key: value.key, status: value.status }
      : undefined
  } catch {
    return undefined
  }
}

const PIECE = 1024 * 1024

const copyLines = (
  paths: ReadonlyArray<string>,
  output: string | undefined,
  write: (text: string) => Effect.Effect<void>
): Effect.Effect<void, BatchError> => {
  if (output === undefined) return Effect.forEach(pieces(paths), write, { discard: true })
  return Effect.try({
    try: () => {
      const temporary = `${output}.merging`
      const descriptor = openSync(temporary, "w")
      try {
        for (const piece of pieces(paths)) {
          const bytes = Buffer.from(piece)
          for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
        }
        fsyncSync(descriptor)
      } catch (error) {
        rmSync(temporary, { force: true })
        throw error
      } finally {
        closeSync(descriptor)
      }
      renameSync(temporary, output)
    },
    catch: (cause) => storageFault(output, "write", cause)
  })
}

function* pieces(paths: ReadonlyArray<string>): Generator<string, void> {
  let waiting = ""
  for (const path of paths) {
    for (const { text } of linesOf(path)) {
      if (text.trim() === "") continue
      waiting += `${text}\n`
      if (waiting.length < PIECE) continue
      yield waiting
      waiting = ""
    }
  }
  if (waiting !== "") yield waiting
}
