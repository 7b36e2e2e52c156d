/**
 * What was entered while something ran, in order. Prompts that follow each other become one, with an empty line between
 * them; a command or a shell line stands alone, so that it stays what it is.
 */
import { isSlashLine } from "../commands/command-registry.ts"

export type InputQueue = ReadonlyArray<string>

export interface Taken {
  readonly line: string
  readonly rest: InputQueue
}

/** What is to be done next; `undefined` when nothing waits. */
export const takeNext = (queue: InputQueue): Taken | undefined => {
  const [first, ...others] = queue
  if (first === undefined) return undefined
  if (!isPrompt(first)) return { line: first, rest: others }
  const end = others.findIndex((line) => !isPrompt(line))
  const count = end < 0 ? others.length : end
  return { line: [first, ...others.slice(0, count)].join("\n\n"), rest: others.slice(count) }
}

export const isPrompt = (line: string): boolean => !isSlashLine(line) && !line.trimStart().startsWith("!")
