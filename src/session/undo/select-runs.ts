/** Which runs are meant: the last one, one by its id, or all of a session. Pure. */
import { Effect } from "effect"
import type { RecordedRun, RunHead } from "./read-run.ts"
import { UndoError } from "./undo-error.ts"

/** `heads` and the result in the order of time. */
export const selectRuns = (
  heads: ReadonlyArray<RunHead>,
  wanted: string | undefined,
  read: (head: RunHead) => RecordedRun
): Effect.Effect<ReadonlyArray<RecordedRun>, UndoError> => {
  const chosen = wanted === undefined ? lastOf(heads, read) : named(heads, wanted).map(read)
  if (chosen.length === 0) {
    return wanted === undefined
      ? new UndoError({ kind: "nothing", detail: "" })
      : new UndoError({ kind: "unknown-run", detail: wanted })
  }
  const goingOn = chosen.find((run) => run.isGoingOn)
  return goingOn === undefined ? Effect.succeed(chosen) : new UndoError({ kind: "going-on", detail: goingOn.id })
}

/** Undos are taken back by their id only: without a name, each time one more run of the model is taken back. */
const lastOf = (heads: ReadonlyArray<RunHead>, read: (head: RunHead) => RecordedRun): ReadonlyArray<RecordedRun> => {
  for (const head of heads.toReversed()) {
    if (head.undoes.length > 0 || isUndone(head, heads)) continue
    const run = read(head)
    if (hasEffects(run)) return [run]
  }
  return []
}

const named = (heads: ReadonlyArray<RunHead>, wanted: string): ReadonlyArray<RunHead> => {
  const one = heads.filter(({ id }) => id === wanted)
  if (one.length > 0) return one
  return heads.filter((head) => head.session === wanted && head.undoes.length === 0 && !isUndone(head, heads))
}

const hasEffects = ({ calls, uncovered }: RecordedRun): boolean =>
  uncovered.length > 0 || calls.some(({ changes, isOpen }) => isOpen || changes.length > 0)

/** By a later undo that left nothing alone and was not taken back itself. The id of a run that went is used again. */
export const isUndone = (run: RunHead, heads: ReadonlyArray<RunHead>): boolean =>
  heads.some(
    (other) => other.isComplete && other.at >= run.at && other.undoes.includes(run.id) && !isUndone(other, heads)
  )
