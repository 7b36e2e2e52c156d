/**
 * What a person asks of a batch, decoded from the command line: what of it stands in the journal as its plan, what has
 * changed since, and how the outputs of its parts are named. Pure.
 */
import type { TierWish } from "../protocol/usage.ts"
import { BatchError } from "./batch-error.ts"
import type { InputKind } from "./input/input-source.ts"
import type { Shard } from "./input/survey.ts"
import type { BatchPlan } from "./journal/journal-record.ts"

export interface BatchRequest {
  /** `-` is standard input; of files, the pattern. */
  readonly input: { readonly kind: InputKind; readonly name: string }
  /** `-` is standard output. Already that of the shard, where there is one. */
  readonly output: string
  readonly template: string | undefined
  readonly keyField: string | undefined
  readonly fileField: string | undefined
  readonly format: "json" | "text"
  readonly ordered: boolean
  readonly errors: string | undefined
  readonly report: string | undefined
  readonly events: string | undefined
  readonly isQuiet: boolean
  readonly via: "live" | "flex" | "api"
  readonly tier: TierWish
  readonly concurrency: number
  readonly retries: number
  readonly shard: Shard | undefined
  /** What to do where the batch was begun before. */
  readonly again: "resume" | "restart" | "changed"
  readonly retryErrors: boolean
  readonly itemMaxTimeMs: number | undefined
  readonly itemMaxCost: number | undefined
  /** The project's context, tools and servers, as in a run that is not bare. */
  readonly context: boolean
  /** Absent: none in a bare batch, those of the settings with `--context`. */
  readonly tools: ReadonlyArray<string> | undefined
  readonly appendSystemPrompt: string | undefined
  readonly worktreePerItem: boolean
  /** Files that all items have in common, kept by the service. */
  readonly cachedContext: ReadonlyArray<string>
  /** Where Vertex AI reads requests and writes answers. */
  readonly gcs: string | undefined
  /** Jobs are made, and nobody waits for them. */
  readonly detach: boolean
  /** Between two looks at a job. */
  readonly pollMs: number | undefined
  /** What becomes of items that a job did not answer. */
  readonly reroute: "flex" | "live" | "none"
  /** Options that a batch shares with a run, as they are written there. */
  readonly flags: ReadonlyArray<string>
}

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

/** What a batch is begun with, as it stands in its journal, and what has changed since. Pure. */
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

/** The names of the parts of an output: `answers.jsonl` and `answers.2-of-8.jsonl`. Pure. */
export const shardOutput = (output: string, { count, index }: Shard): string => {
  const [, stem = output, ending = ""] = /^(.*?)(\.[^./]*)?$/s.exec(output) ?? []
  return `${stem}.${index}-of-${count}${ending}`
}

/** The part that a name says it is; `undefined`: none. */
export const shardIn = (path: string): Shard | undefined => {
  const [, index, count] = /\.(\d+)-of-(\d+)(?:\.[^./]*)?$/.exec(path) ?? []
  return index === undefined ? undefined : { index: Number(index), count: Number(count) }
}
