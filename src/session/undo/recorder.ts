/**
 * Records calls in the journal of their run. Of a call that names its files, those files are kept before it runs. Of any
 * other call, the whole workspace is looked through before and after: what differs is what the call did, and what the
 * user changed between calls stays the user's.
 *
 * Whatever goes wrong here is told in one line, and the call runs without cover.
 */
import { lstatSync } from "node:fs"
import { dirname } from "node:path"
import { Clock, Effect, ExecutionStrategy, Exit, Ref, Scope } from "effect"
import { isInside } from "../../files/containment.ts"
import { recordPath } from "./apply-undo.ts"
import type { ChangeRecording, ChangingCall, JournaledRun, RecordCall } from "./change-journal.ts"
import { isSameState, NotCovered, seeFile, written } from "./file-state.ts"
import { type OpenRun, openNewRun, type RecordedRunOptions, titleOf } from "./open-run.ts"
import { killedRuns, settleKilledRun } from "./read-run.ts"
import type { TreeChange } from "./refresh-tree.ts"
import type { FileChange, PathBefore } from "./run-journal.ts"
import { makeSnapshots, type SnapshotOptions } from "./snapshots.ts"
import { undoStore } from "./undo-store.ts"

export type RecorderOptions = SnapshotOptions & RecordedRunOptions

/** A call whose beginning was recorded, and how its end is. */
interface Begun {
  readonly run: OpenRun
  /** `maxMs` bounds the look through the workspace where there is no time for a long one. */
  readonly end: (maxMs?: number) => Effect.Effect<void, NotCovered>
}

/** When everything ends, or somebody waits for the end, there is no time for a long look. */
const LAST_LOOK_MS = 3000

export const makeRecorder = Effect.fn("Undo.makeRecorder")(function* (options: RecorderOptions) {
  const scope = yield* Effect.scope
  // Begun before the last look is promised below, it ends after it: that look still needs the contents that were kept.
  const looking = yield* Scope.fork(scope, ExecutionStrategy.sequential)
  const lock = yield* Effect.makeSemaphore(1)
  const current = yield* Ref.make<OpenRun | undefined>(undefined)
  const complainedIn = yield* Ref.make<JournaledRun | undefined>(undefined)
  const store = Effect.mapBoth(options.historyDir, {
    onFailure: ({ message }) => new NotCovered({ why: message }),
    onSuccess: undoStore
  })
  const snapshots = yield* Effect.cached(Effect.provideService(makeSnapshots(options), Scope.Scope, looking))

  /** What changed since the last look is the work of this call; of nobody here where none is given. */
  const look = Effect.fnUntraced(function* (run: OpenRun, call: number | undefined, maxMs?: number) {
    const tree = yield* snapshots
    const found = yield* Effect.tapError(tree.look({ isFirst: !run.hasLooked, maxMs }), () => tree.save)
    if (!run.hasLooked) yield* settle(tree, found)
    run.hasLooked = true
    if (call !== undefined) {
      const at = yield* Clock.currentTimeMillis
      yield* written(() =>
        run.journal.append({ _tag: "ended", call, at, changes: found.map((change) => tree.keep(run.journal, change)) })
      )
    }
    yield* tree.save
  })

  /** What could not be looked through once is not tried again in this run. */
  const lookOrGiveUp = (run: OpenRun, call: number | undefined, maxMs?: number) =>
    Effect.tapError(look(run, call, maxMs), (obstacle) =>
      Effect.sync(() => {
        run.obstacle = obstacle
      })
    )

  const settle = Effect.fnUntraced(function* (
    tree: Effect.Effect.Success<typeof snapshots>,
    found: ReadonlyArray<TreeChange>
  ) {
    const place = yield* store
    const at = yield* Clock.currentTimeMillis
    yield* written(() => {
      for (const killed of killedRuns(place)) settleKilledRun(place, killed, found, tree, at)
    })
  })

  const finish = Effect.fnUntraced(function* (run: OpenRun) {
    const [goingOn] = run.active
    if (goingOn !== undefined) yield* Effect.ignore(look(run, goingOn, LAST_LOOK_MS))
    run.isClosed = true
    run.journal.close()
  })

  const runFor = Effect.fnUntraced(function* (facts: JournaledRun) {
    const known = yield* Ref.get(current)
    if (known?.facts === facts) return known
    if (known !== undefined) yield* finish(known)
    yield* Ref.set(current, undefined)
    const run = yield* openNewRun(yield* store, facts, options)
    yield* Ref.set(current, run)
    if (facts.over !== undefined) yield* Effect.forkIn(Effect.zipRight(facts.over, noteEnd(run)), scope)
    return run
  })

  /** A command in the background belongs to the run as long as it goes on. */
  const noteEnd = (run: OpenRun) =>
    lock.withPermits(1)(
      Effect.gen(function* () {
        if ((yield* Ref.get(current)) !== run || run.active.size > 0) return
        const at = yield* Clock.currentTimeMillis
        yield* Effect.ignore(written(() => run.journal.append({ _tag: "over", at })))
      })
    )

  const beginFiles = Effect.fnUntraced(function* (run: OpenRun, call: ChangingCall, paths: ReadonlyArray<string>) {
    const number = ++run.calls
    const at = yield* Clock.currentTimeMillis
    const before = yield* written(() => {
      const states = paths.map((path) => recordPath(run.journal, path))
      run.journal.append({ _tag: "begun", call: number, tool: call.tool, what: call.what, at, paths: states })
      return states
    })
    const end = Effect.fnUntraced(function* () {
      yield* written(() =>
        run.journal.append({ _tag: "ended", call: number, at, changes: before.flatMap(changeSince) })
      )
      if (run.active.size > 0) yield* Effect.flatMap(snapshots, (tree) => tree.acknowledge(paths))
    })
    return { run, end } satisfies Begun
  })

  const beginAnything = Effect.fnUntraced(function* (run: OpenRun, call: ChangingCall) {
    if (run.obstacle !== undefined) return yield* run.obstacle
    const [goingOn] = run.active
    yield* lookOrGiveUp(run, goingOn)
    const number = ++run.calls
    const { tool, what } = call
    const at = yield* Clock.currentTimeMillis
    yield* written(() => run.journal.append({ _tag: "begun", call: number, tool, what, at }))
    run.active.add(number)
    const end = Effect.fnUntraced(function* (maxMs?: number) {
      if (call.goesOn !== true) run.active.delete(number)
      yield* lookOrGiveUp(run, number, maxMs).pipe(
        Effect.tapError(({ why }) =>
          written(() => run.journal.append({ _tag: "uncovered", call: number, tool, what, why }))
        )
      )
    })
    return { run, end } satisfies Begun
  })

  const begin = Effect.fnUntraced(function* (given: ChangingCall, facts: JournaledRun) {
    const call = { ...given, what: titleOf(options.clean(given.what)) }
    const paths = call.paths === undefined ? undefined : touchedPaths(call.paths, yield* options.roots)
    if (paths?.length === 0) return undefined
    const run = yield* runFor(facts)
    return yield* paths === undefined ? beginAnything(run, call) : beginFiles(run, call, paths)
  })

  /** Once for each run: it holds for what follows. */
  const complain = Effect.fnUntraced(function* (
    { call, tell }: ChangeRecording,
    facts: JournaledRun,
    { why }: NotCovered
  ) {
    if ((yield* Ref.getAndSet(complainedIn, facts)) === facts) return
    const what = call.paths === undefined ? "what shell commands of this run change" : "the edits of this run"
    yield* tell(`gemini undo cannot take back ${what}: ${why}`)
  })

  yield* Effect.addFinalizer(() =>
    lock.withPermits(1)(
      Effect.flatMap(Ref.getAndSet(current, undefined), (run) => (run === undefined ? Effect.void : finish(run)))
    )
  )

  const record: RecordCall = (recording, facts, effect) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const begun = yield* restore(lock.withPermits(1)(begin(recording.call, facts))).pipe(
          Effect.catchTag("NotCovered", (obstacle) => Effect.as(complain(recording, facts, obstacle), undefined))
        )
        if (begun === undefined) return yield* restore(effect)
        return yield* Effect.onExit(restore(effect), (exit) =>
          lock
            // When everything ends at once, the run may have been closed before its last call was.
            .withPermits(1)(
              Effect.suspend(() =>
                begun.run.isClosed ? Effect.void : begun.end(Exit.isInterrupted(exit) ? LAST_LOOK_MS : undefined)
              )
            )
            .pipe(Effect.catchTag("NotCovered", (obstacle) => complain(recording, facts, obstacle)))
        )
      })
    )
  return record
})

const changeSince = (recorded: PathBefore): ReadonlyArray<FileChange> => {
  const { state: after } = seeFile(recorded.path)
  return isSameState(recorded.before, after) ? [] : [{ ...recorded, after }]
}

export const touchedPaths = (paths: ReadonlyArray<string>, roots: ReadonlyArray<string>): ReadonlyArray<string> => {
  const touched = new Set<string>()
  for (const path of paths) {
    const root = roots.find((candidate) => path !== candidate && isInside(candidate, path))
    if (root === undefined) continue
    touched.add(path)
    for (let folder = dirname(path); folder !== root && isMissing(folder); folder = dirname(folder)) touched.add(folder)
  }
  return [...touched]
}

const isMissing = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
