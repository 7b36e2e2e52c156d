/**
 * Carries out a plan. What stands on disk is recorded first, as a run of its own, so that undoing can be undone; then
 * each path is put back. A kill in between loses nothing: the same plan, made again, has only the rest to do.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { Clock, Effect } from "effect"
import { errnoOf } from "../../files/file-error.ts"
import { openDirectory } from "../../files/safe-open.ts"
import { messageOf } from "../../kernel/cause-chain.ts"
import { setFileMode } from "../../system/file-mode.ts"
import { startOf } from "../../system/process-identity.ts"
import { lstatOrNone } from "../../system/regular-file.ts"
import { type ContentLog, openContentLog } from "./content-log.ts"
import { type ContentState, hashOf, seeFile } from "./file-state.ts"
import { CONTENTS_FILE, createRun, type PathBefore, type RunJournal } from "./run-journal.ts"
import { UndoError, type UndoPlan, type UndoStep } from "./undo-plan.ts"
import type { UndoStore } from "./undo-store.ts"

export interface UndoResult {
  /** The id of the undo itself. */
  readonly id: string
  readonly restored: ReadonlyArray<string>
  /** What could not be put back, and why. */
  readonly failed: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

const UNDO_CALL = 1
const STEPS_IN_SLICE = 32

export const applyUndo = Effect.fn("Undo.apply")(function* (store: UndoStore, plan: UndoPlan) {
  const at = yield* Clock.currentTimeMillis
  const [first] = plan.runs
  const journal = yield* Effect.try({
    try: () =>
      createRun(store, {
        session: first?.session ?? "",
        title: `undo of ${plan.runs.map(({ id }) => id).join(", ")}`,
        at,
        roots: [...new Set(plan.runs.flatMap(({ roots }) => roots))],
        pid: process.pid,
        started: startOf(process.pid),
        undoes: plan.runs.map(({ id }) => id)
      }),
    catch: UndoError.fromSystem("record")
  })
  return yield* Effect.ensuring(
    carryOut(journal, plan, store),
    Effect.sync(() => journal.close())
  )
})

const carryOut = Effect.fnUntraced(function* (
  journal: RunJournal,
  { leftAlone, runs, steps }: UndoPlan,
  store: UndoStore
) {
  const at = yield* Clock.currentTimeMillis
  const what = runs.map(({ id }) => id).join(", ")
  const paths = yield* Effect.try({
    try: () => {
      const before = steps.map(({ path }) => recordPath(journal, path))
      journal.append({ _tag: "begun", call: UNDO_CALL, tool: "undo", what, at, paths: before })
      return before
    },
    catch: UndoError.fromSystem("record")
  })
  const logs = openLogs(store)
  const failed = yield* Effect.ensuring(putBack(steps, logs), Effect.sync(logs.close))
  const failedPaths = new Set(failed.map(({ path }) => path))
  // Only now: files that failed stand here as they are. Where the disk is full, the begun record serves.
  yield* Effect.ignore(
    Effect.try(() => {
      const changes = paths.map((before) => ({ ...before, after: seeFile(before.path).state }))
      journal.append({ _tag: "ended", call: UNDO_CALL, at, changes })
      journal.append({ _tag: "finished", isComplete: failed.length === 0 && leftAlone.length === 0 })
    })
  )
  const restored = steps.map(({ path }) => path).filter((path) => !failedPaths.has(path))
  return { id: journal.id, restored, failed } satisfies UndoResult
})

/** The state now, with the content kept in the journal. */
export const recordPath = (journal: RunJournal, path: string): PathBefore => {
  const { content, state } = seeFile(path)
  const place = content !== undefined && "hash" in state ? journal.keep(state.hash, () => content) : undefined
  return place === undefined ? { path, before: state } : { path, before: state, place }
}

interface OpenLogs {
  readonly of: (folder: string) => ContentLog
  readonly close: () => void
}

/** Contents may come from several runs. */
const openLogs = ({ key }: UndoStore): OpenLogs => {
  const logs = new Map<string, ContentLog>()
  return {
    of: (folder) => {
      const log = logs.get(folder) ?? openContentLog(join(folder, CONTENTS_FILE), key())
      logs.set(folder, log)
      return log
    },
    close: () => {
      for (const log of logs.values()) log.close()
    }
  }
}

type Failure = UndoResult["failed"][number]

/** What must go goes first, from the bottom; then folders and files come back, from the top; permissions of folders last. */
const putBack = Effect.fnUntraced(function* (steps: ReadonlyArray<UndoStep>, logs: OpenLogs) {
  const down = [...steps].sort((one, other) => one.path.length - other.path.length)
  const up = [...down].reverse()
  const failed: Array<Failure> = []
  const hasFailed = new Set<string>()
  const attempt = (step: UndoStep, action: () => void): void => {
    if (hasFailed.has(step.path)) return
    try {
      action()
    } catch (cause) {
      hasFailed.add(step.path)
      failed.push({ path: step.path, why: messageOf(cause) })
    }
  }
  const phases: ReadonlyArray<readonly [ReadonlyArray<UndoStep>, (step: UndoStep) => void]> = [
    [up, removeMadeFile],
    [up, removeMadeFolder],
    [down, (step) => (step.target.kind === "folder" ? makeFolder(step.path) : undefined)],
    [down, (step) => restoreContent(step, logs)],
    [up, (step) => (step.target.kind === "folder" ? setMode(step.path, step.target.mode) : undefined)]
  ]
  for (const [ordered, action] of phases) {
    for (const [index, step] of ordered.entries()) {
      attempt(step, () => action(step))
      if (index % STEPS_IN_SLICE === 0) yield* Effect.yieldNow()
    }
  }
  return failed
})

const restoreContent = ({ action, content, path, target }: UndoStep, logs: OpenLogs): void => {
  if (target.kind !== "file" && target.kind !== "link") return
  if (action === "mode") {
    setMode(path, target.mode)
    return
  }
  if (content === undefined) throw new RangeError("its content was not kept")
  writeFileState(path, target, logs.of(content.folder).read(content.place))
}

const removeMadeFile = ({ current, path, target }: UndoStep): void => {
  if (target.kind === "absent" && current.kind !== "folder") removeFile(path)
}

const removeMadeFolder = ({ current, path, target }: UndoStep): void => {
  if (current.kind !== "folder" || target.kind === "folder") return
  if (!removeFolder(path)) throw new RangeError("it is not empty: something in it is not of this run")
}

/**
 * Puts one path back into a state. Every step happens inside the folder that was opened, never behind a link that stands
 * in its place now; a file is written beside its place and renamed, so that a kill leaves the old or the new one.
 * Throws `FileError` or the system's error.
 */
const writeFileState = (path: string, state: ContentState, content: Uint8Array): void =>
  inFolderOf(path, (target, beside) => {
    if (hashOf(content) !== state.hash) throw new RangeError("the content that was kept is damaged")
    rmSync(beside, { force: true })
    if (state.kind === "link") symlinkSync(Buffer.from(content).toString(), beside)
    else writeNew(beside, content, state.mode)
    try {
      renameSync(beside, target)
    } catch (cause) {
      unlinkSync(beside)
      throw cause
    }
  })

const removeFile = (path: string): void =>
  inFolderOf(path, (target) => {
    try {
      unlinkSync(target)
    } catch (cause) {
      if (errnoOf(cause) !== "ENOENT") throw cause
    }
  })

/** `false`: something is in it that is not ours to remove. */
const removeFolder = (path: string): boolean =>
  inFolderOf(path, (target) => {
    try {
      rmdirSync(target)
      return true
    } catch (cause) {
      const code = errnoOf(cause)
      if (code === "ENOTEMPTY" || code === "EEXIST") return false
      if (code === "ENOENT") return true
      throw cause
    }
  })

/** A file or link that stands in its place goes. The exact permissions come last, when nothing is written in it any more. */
const makeFolder = (path: string): void =>
  inFolderOf(path, (target) => {
    const found = lstatOrNone(target)
    if (found !== undefined && !found.isDirectory()) unlinkSync(target)
    if (found?.isDirectory() !== true) mkdirSync(target, { mode: 0o700 })
    else setFileMode(target, (found.mode & 0o7777) | 0o700)
  })

/** Not of links, whose permissions mean nothing, nor of what is no file. */
const setMode = (path: string, mode: number): void => inFolderOf(path, (target) => setFileMode(target, mode))

const inFolderOf = <A>(path: string, action: (target: string, beside: string) => A): A => {
  const folder = openDirectory(dirname(path), "write")
  try {
    return action(join(folder.base, basename(path)), join(folder.base, besideName(basename(path))))
  } finally {
    closeSync(folder.fd)
  }
}

/** The same for each attempt: what a killed one left behind, the next one takes away. */
const besideName = (name: string): string => `.gemini-undo-${hashOf(Buffer.from(name)).slice(0, 12)}.tmp`

const writeNew = (file: string, content: Uint8Array, mode: number): void => {
  const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    for (let done = 0; done < content.length; ) done += writeSync(fd, content, done)
    fchmodSync(fd, mode)
  } catch (cause) {
    unlinkSync(file)
    throw cause
  } finally {
    closeSync(fd)
  }
}
