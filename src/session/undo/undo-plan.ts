/**
 * What undoing would do, decided from what was recorded and from what stands on disk now. Pure: nothing is changed. A
 * file that is no longer as the run left it belongs to somebody else, and is left alone unless it is asked for.
 */

import { Schema } from "effect"
import { errnoOf } from "../../files/file-error.ts"
import type { ContentPlace } from "./content-log.ts"
import { type FileState, isRestorable, isSameState } from "./file-state.ts"
import type { RecordedRun } from "./read-run.ts"

export interface UndoStep {
  readonly path: string
  readonly action: "restore" | "recreate" | "remove" | "mode"
  readonly target: FileState
  readonly content: NetChange["content"]
  /** As it stands now. */
  readonly current: FileState
}

export interface LeftAlone {
  readonly path: string
  /** `changed`: not as the run left it. `shared`: somebody else changed it too, in between. `lost`: not kept. */
  readonly kind: "changed" | "shared" | "lost"
  readonly why: string
}

export interface UndoPlan {
  readonly runs: ReadonlyArray<RecordedRun>
  readonly steps: ReadonlyArray<UndoStep>
  readonly leftAlone: ReadonlyArray<LeftAlone>
  /** Calls whose effects are not known. */
  readonly uncovered: ReadonlyArray<{ readonly what: string; readonly why: string }>
  /** Newer runs of which nothing is left to restore, where the last one was asked for. */
  readonly passedOver: ReadonlyArray<RecordedRun>
}

export interface PlanOptions {
  /** Also what was changed since. */
  readonly force: boolean
  readonly stateOf: (path: string) => FileState
}

/** `runs` in the order of time. */
export const planUndo = (runs: ReadonlyArray<RecordedRun>, { force, stateOf }: PlanOptions): UndoPlan => {
  const steps: Array<UndoStep> = []
  const leftAlone: Array<LeftAlone> = []
  for (const change of netChanges(runs)) {
    const current = stateOf(change.path)
    if (isSettled(current, change.before)) continue
    const objection = objectionTo(change, current, force)
    if (objection === undefined) steps.push(stepOf(change, current))
    else leftAlone.push({ path: change.path, ...objection })
  }
  const uncovered = runs.flatMap((run) => run.uncovered.map(({ what, why }) => ({ what, why })))
  return { runs, steps, leftAlone, uncovered, passedOver: [] }
}

/** Nothing is left to do. A folder that is there need not be made. */
const isSettled = (current: FileState, before: FileState): boolean => isSameState(current, before)

const objectionTo = (
  { after, before, content, isShared }: NetChange,
  current: FileState,
  force: boolean
): Omit<LeftAlone, "path"> | undefined => {
  const needsContent = before.kind === "file" || before.kind === "link"
  if (!isRestorable(before) || (needsContent && content === undefined)) {
    return { kind: "lost", why: lossOf(before) }
  }
  if (force) return undefined
  if (after === undefined) return { kind: "shared", why: "the run was killed while it changed it" }
  if (isShared) return { kind: "shared", why: "somebody else changed it as well during the run" }
  // A folder that the run made is removed only when it is empty, so its permissions do not matter.
  if (after.kind === "folder" && current.kind === "folder" && before.kind === "absent") return undefined
  if (isSameState(current, after)) return undefined
  return { kind: "changed", why: current.kind === "absent" ? "it was removed since" : "it was changed since" }
}

const lossOf = (before: FileState): string =>
  before.kind === "special" ? "it was no ordinary file" : "its content was too large to keep, or could not be read"

const stepOf = ({ before, content, path }: NetChange, current: FileState): UndoStep => ({
  path,
  action: actionOf(before, current),
  target: before,
  content,
  current
})

const actionOf = (before: FileState, current: FileState): UndoStep["action"] => {
  if (before.kind === "absent") return "remove"
  if (current.kind === "absent") return "recreate"
  const isSameContent = isSameState({ ...current, ...("mode" in before ? { mode: before.mode } : {}) }, before)
  return isSameContent ? "mode" : "restore"
}

/** What several calls did to each path, taken together: the state before the first and after the last. Pure. */
interface NetChange {
  readonly path: string
  readonly before: FileState
  /** Where the content of `before` stands, and in which run's folder. */
  readonly content: { readonly folder: string; readonly place: ContentPlace } | undefined
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

/** Why nothing was undone. What fails for single files is part of the result, not an error. */
export class UndoError extends Schema.TaggedError<UndoError>()("UndoError", {
  /** `record`: what stands on disk could not be saved first, so nothing was touched. */
  kind: Schema.Literal("record", "going-on", "unknown-run", "nothing", "not-here"),
  detail: Schema.String
}) {
  static readonly fromSystem = (kind: "record") => (cause: unknown) => new UndoError({ kind, detail: errnoOf(cause) })

  override get message() {
    return MESSAGE[this.kind](this.detail)
  }
}

const MESSAGE: Record<UndoError["kind"], (detail: string) => string> = {
  record: (code) => `What stands on disk now cannot be saved (${code}), so nothing was changed.`,
  "going-on": (run) => `The run ${run} is still going on: wait for its end, or end it.`,
  "unknown-run": (run) => `There is no run ${run} to take back in this project.`,
  nothing: () => "There is nothing to take back: no run of this project has changed a file.",
  "not-here": () =>
    "This conversation has changed no file that could be taken back. `/undo list` shows what others changed; `/undo RUN` takes that back."
}
