/** What a batch is begun with, as it stands in its journal, and what has changed since. Pure. */

import { BatchError } from "./batch-error.ts"
import type { BatchRequest } from "./batch-request.ts"
import type { BatchPlan } from "./journal/journal-record.ts"

/** What changes the answers. Rate, limits and reports do not. */
export interface PlanFacts {
  readonly model: string
  readonly approvalMode: string
  /** The schema itself, not the name of its file. */
  readonly outputSchema: string | undefined
  /** How much the model thinks, as it is written. */
  readonly thinking: string | undefined
  /** The files by name, and what is in them. */
  readonly cachedContext: string | undefined
}

export const planOf = (
  request: BatchRequest,
  facts: PlanFacts,
  input: BatchPlan["input"],
  items: number
): BatchPlan => ({
  options: written({
    prompt: request.template,
    key: request.keyField,
    "file-field": request.fileField,
    input: request.input.kind === "jsonl" ? undefined : request.input.kind,
    via: request.via === "api" ? "api" : undefined,
    ...answerOptions(request, facts)
  }),
  input,
  format: request.format,
  items,
  ...(request.shard === undefined ? {} : { shard: request.shard })
})

/** What all requests have in common: with the prompt it makes the request. */
export const commonText = (request: BatchRequest, facts: PlanFacts): string =>
  JSON.stringify(written(answerOptions(request, facts)))

const answerOptions = (request: BatchRequest, facts: PlanFacts) => ({
  model: facts.model,
  "approval-mode": facts.approvalMode === "default" ? undefined : facts.approvalMode,
  "output-schema": facts.outputSchema,
  "append-system-prompt": request.appendSystemPrompt,
  thinking: facts.thinking,
  "cached-context": facts.cachedContext,
  tools: request.tools?.join(","),
  context: request.context ? "yes" : undefined,
  "worktree-per-item": request.worktreePerItem ? "yes" : undefined
})

const written = (options: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** One line for each difference; empty where the batch can go on. */
export const changesOf = (before: BatchPlan, now: BatchPlan): ReadonlyArray<string> => {
  const names = [...new Set([...Object.keys(before.options), ...Object.keys(now.options)])].sort()
  return [
    ...names.flatMap((name) => change(`--${name}`, before.options[name], now.options[name])),
    ...change("--output-format", before.format, now.format),
    ...change("--shard", shardText(before), shardText(now)),
    ...(before.input.fingerprint === now.input.fingerprint
      ? []
      : [`the input ${now.input.name} has changed (${before.input.items} items then, ${now.input.items} now)`])
  ]
}

const shardText = ({ shard }: BatchPlan): string | undefined =>
  shard === undefined ? undefined : `${shard.index}/${shard.count}`

const change = (name: string, before: string | undefined, now: string | undefined): ReadonlyArray<string> =>
  before === now ? [] : [`${name} was ${valueText(before)} and is ${valueText(now)}`]

const VALUE_LENGTH = 60

const valueText = (value: string | undefined): string => {
  if (value === undefined) return "not given"
  const line = value.replace(/\s+/g, " ")
  return `"${line.length > VALUE_LENGTH ? `${line.slice(0, VALUE_LENGTH - 3)}...` : line}"`
}

/** Answers of one form or of one shard are of no use in another. */
export const isComparable = (before: BatchPlan, now: BatchPlan): boolean =>
  before.format === now.format && shardText(before) === shardText(now)

export const changedBatch = (output: string, changes: ReadonlyArray<string>): BatchError =>
  new BatchError({
    kind: "changed",
    message: `${output} was begun with something else: ${changes.join("; ")}`,
    hint: "Nothing was sent. --changed asks again for what is asked otherwise now and keeps the rest; --restart begins anew and keeps the old files as .1."
  })
