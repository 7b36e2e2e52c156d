/** What a person asks of a batch, decoded from the command line, and the names of the parts of an output: `answers.2-of-8.jsonl`. */
import type { TierWish } from "../protocol/usage.ts"
import type { InputKind } from "./input/input-source.ts"
import type { Shard } from "./input/survey.ts"

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

export const shardOutput = (output: string, { count, index }: Shard): string => {
  const [, stem = output, ending = ""] = /^(.*?)(\.[^./]*)?$/s.exec(output) ?? []
  return `${stem}.${index}-of-${count}${ending}`
}

/** The part that a name says it is; `undefined`: none. */
export const shardIn = (path: string): Shard | undefined => {
  const [, index, count] = /\.(\d+)-of-(\d+)(?:\.[^./]*)?$/.exec(path) ?? []
  return index === undefined ? undefined : { index: Number(index), count: Number(count) }
}
