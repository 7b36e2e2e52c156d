/** What several calls did to each path, taken together: the state before the first and after the last. Pure. */
import type { Place } from "./content-log.ts"
import { type FileState, isSameState } from "./file-state.ts"
import type { RecordedRun } from "./read-run.ts"

export interface NetChange {
  readonly path: string
  readonly before: FileState
  /** Where the content of `before` stands, and in which run's folder. */
  readonly content: { readonly folder: string; readonly place: Place } | undefined
  /** `undefined`: not known, the run was killed while it changed the file. */
  readonly after: FileState | undefined
  /** Somebody else changed it between two calls, or may have had a part in what a killed run did. */
  readonly isShared: boolean
}

/** `runs` in the order of time. */
export const netChanges = (runs: ReadonlyArray<RecordedRun>): ReadonlyArray<NetChange> => {
  const net = new Map<string, NetChange>()
  for (const step of runs.flatMap(stepsOf)) {
    const first = net.get(step.path)
    if (first === undefined) {
      net.set(step.path, step)
      continue
    }
    const isContinued = first.after !== undefined && isSameState(first.after, step.before)
    net.set(step.path, {
      ...first,
      after: step.after,
      isShared: first.isShared || step.isShared || !isContinued
    })
  }
  return [...net.values()].filter(
    ({ after, before, isShared }) => isShared || after === undefined || !isSameState(before, after)
  )
}

const stepsOf = ({ calls, folder }: RecordedRun): ReadonlyArray<NetChange> =>
  calls.flatMap(({ changes, isOpen, paths }) => [
    ...changes.map(({ after, before, isUncertain, path, place }) => ({
      path,
      before,
      content: place === undefined ? undefined : { folder, place },
      after,
      isShared: isUncertain
    })),
    ...(isOpen ? (paths ?? []) : []).map(({ before, path, place }) => ({
      path,
      before,
      content: place === undefined ? undefined : { folder, place },
      after: undefined,
      isShared: false
    }))
  ])
