/**
 * What was entered while something ran, in order. Prompts that follow each other become one, with an empty line between
 * them; a command or a shell line stands alone, so that it stays what it is.
 */
import { isSlashLine } from "../slash/command-registry.ts"

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
  const [prompts, rest] = takePrompts(queue)
  return { line: prompts.join("\n\n"), rest }
}

/** The prompts at the front, and what stays: a command keeps its place before what was entered behind it. */
export const takePrompts = (queue: InputQueue): readonly [prompts: InputQueue, rest: InputQueue] => {
  const end = queue.findIndex((line) => !isPrompt(line))
  return end < 0 ? [queue, []] : [queue.slice(0, end), queue.slice(end)]
}

export const isPrompt = (line: string): boolean => !isSlashLine(line) && !line.trimStart().startsWith("!")
