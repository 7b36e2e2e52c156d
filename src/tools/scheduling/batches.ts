/**
 * Which calls of a turn run side by side. Calls that only look may; a call that changes something runs alone and in its
 * place, since `git add` beside `git commit` is a race that the model did not ask for. The model can say otherwise with
 * `wait_for_previous`.
 */
import type { Tool, ToolKind } from "../tool.ts"

export interface Batchable {
  /** `undefined`: the tool is unknown or its arguments are bad; answering that touches nothing. */
  readonly tool: Tool | undefined
  /** The model's own word on the order, where it gave one. */
  readonly waitForPrevious: boolean | undefined
}

const LOOKING: ReadonlySet<ToolKind> = new Set(["read", "search", "fetch", "think", "agent"])

export const mayRunBeside = ({ tool, waitForPrevious }: Batchable): boolean => {
  if (tool === undefined) return true
  // Its text introduces what follows, and two writes to one file must not meet.
  if (tool.name === "update_topic" || tool.name === "write_file" || tool.name === "replace") return false
  if (waitForPrevious !== undefined) return !waitForPrevious
  return LOOKING.has(tool.kind) || tool.annotations?.readOnlyHint === true
}

/** Runs of neighbours that may run side by side, and single calls, in the order given. */
export const batchesOf = <A extends Batchable>(calls: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  const batches: Array<Array<A>> = []
  let open = false
  for (const call of calls) {
    const joins = mayRunBeside(call)
    const last = batches.at(-1)
    if (joins && open && last !== undefined) last.push(call)
    else batches.push([call])
    open = joins
  }
  return batches
}

/** Topic updates come first: they say what the calls after them are for. */
export const topicFirst = <A extends { readonly name: string }>(calls: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...calls.filter((call) => call.name === "update_topic"),
  ...calls.filter((call) => call.name !== "update_topic")
]
