/**
 * Records what calls change in the workspace, so that it can be taken back. The scheduler of tools hands over every call
 * that may change something; what is recorded, and how, is decided here and in the files beside.
 *
 * Nothing of it is loaded, made or read before the first such call of a process.
 */
import { Context, Effect, Layer, Ref, Scope } from "effect"
import { cachedOnce } from "../../kernel/cached-once.ts"
import type { Content } from "../../protocol/content.ts"
import type { CallId } from "../../protocol/ids.ts"

/** A call that may change files, about to run. */
export interface ChangingCall {
  readonly callId: CallId
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** One line for people. */
  readonly what: string
  /** Real paths of the files that it writes. Absent: it may change anything, as shell commands may. */
  readonly paths?: ReadonlyArray<string>
  /** It goes on in the background after the call has ended. */
  readonly goesOn?: boolean
}

/** Everything from one prompt to its answer. */
export interface JournaledRun {
  /** The prompt, free of secrets. */
  readonly title: string
  readonly history: Effect.Effect<ReadonlyArray<Content>>
  /** Returns when the prompt is answered, however that ended. Absent: when the process ends. */
  readonly over?: Effect.Effect<void>
}

export interface ChangeRecording {
  readonly call: ChangingCall
  /** A line for the user, such as that this call is not covered. */
  readonly tell: (line: string) => Effect.Effect<void>
}

/** Runs a call, and records what it changed however it ends. Never makes a call fail. */
export type RecordCall = <A, E, R>(
  recording: ChangeRecording,
  run: JournaledRun,
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

export class ChangeJournal extends Context.Tag("agent/session/ChangeJournal")<
  ChangeJournal,
  {
    /** What is recorded from here on belongs to this run. */
    readonly beginRun: (run: JournaledRun) => Effect.Effect<void>
    readonly record: RecordInRun
  }
>() {}

type RecordInRun = <A, E, R>(recording: ChangeRecording, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const NO_RUN: JournaledRun = { title: "", history: Effect.succeed([]) }

/** `load` is asked at the first call that may change something. */
export const make = (load: Effect.Effect<RecordCall, never, Scope.Scope>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const recorder = yield* cachedOnce(Effect.provideService(load, Scope.Scope, scope))
    const run = yield* Ref.make(NO_RUN)
    return ChangeJournal.of({
      beginRun: (facts) => Ref.set(run, facts),
      record: (recording, effect) =>
        Effect.flatMap(Effect.all([recorder, Ref.get(run)]), ([record, facts]) => record(recording, facts, effect))
    })
  })

export const layer = (load: Effect.Effect<RecordCall, never, Scope.Scope>) => Layer.scoped(ChangeJournal, make(load))

/** Nothing is recorded, and nothing can be taken back. */
const record: RecordInRun = (_recording, effect) => effect

export const none: ChangeJournal["Type"] = { beginRun: () => Effect.void, record }

export const layerNone = Layer.succeed(ChangeJournal, none)
