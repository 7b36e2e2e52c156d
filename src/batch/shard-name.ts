/** The names of the parts of an output: `answers.jsonl` and `answers.2-of-8.jsonl`. Pure. */
import type { Shard } from "./input/survey.ts"

export const shardOutput = (output: string, { count, index }: Shard): string => {
  const [, stem = output, ending = ""] = /^(.*?)(\.[^./]*)?$/s.exec(output) ?? []
  return `${stem}.${index}-of-${count}${ending}`
}

/** The part that a name says it is; `undefined`: none. */
export const shardIn = (path: string): Shard | undefined => {
  const [, index, count] = /\.(\d+)-of-(\d+)(?:\.[^./]*)?$/.exec(path) ?? []
  return index === undefined ? undefined : { index: Number(index), count: Number(count) }
}
