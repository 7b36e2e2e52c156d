/**
 * The companion of an editor: a small server in the editor that tells what is open there, whether the folder is trusted,
 * and that shows diffs. It is a convenience: whatever happens to it costs nothing but itself.
 */
import { Context, Data, type Duration, Effect, type Scope } from "effect"
import type { EditorContext } from "./editor-context.ts"

export type CompanionStatus =
  | { readonly _tag: "Connected"; readonly name: string }
  | { readonly _tag: "Connecting" }
  | { readonly _tag: "Disconnected"; readonly reason: string }

export type DiffAnswer =
  /** `content`: as the person left it. */
  { readonly _tag: "Accepted"; readonly content: string } | { readonly _tag: "Rejected" }

export interface OpenDiff {
  /** Waits for the person in the editor; for ever, where the diff cannot be shown or is lost. */
  readonly answer: Effect.Effect<DiffAnswer>
  /** Takes it away; what the person made of it until then, where the editor says. */
  readonly close: Effect.Effect<string | undefined>
}

export interface ProposedEdit {
  /** Absolute. */
  readonly filePath: string
  readonly newContent: string
}

export interface CompanionView {
  /** While it is looked for, this waits for what comes of it. */
  readonly status: Effect.Effect<CompanionStatus>
  /** Looks for it anew and connects; never longer than two seconds. */
  readonly connect: Effect.Effect<CompanionStatus>
  /** Open diffs are closed first. */
  readonly disconnect: Effect.Effect<void>
  /**
   * What is open now, for the next prompt. A companion that has just been found is given a moment to say it, and one that
   * was lost is looked for once.
   */
  readonly context: Effect.Effect<EditorContext | undefined>
  /** As `context`, without waiting for anything. */
  readonly known: Effect.Effect<EditorContext | undefined>
  /** Whether the editor trusts the folder; `undefined` where it does not say within the same moment. */
  readonly trust: Effect.Effect<boolean | undefined>
  /** Waits until the editor changes its mind about that. */
  readonly trustChanged: (from: boolean | undefined) => Effect.Effect<boolean>
  /** `undefined`: the editor shows no diffs. Closing the scope closes the diff. */
  readonly openDiff: (edit: ProposedEdit) => Effect.Effect<OpenDiff | undefined, never, Scope.Scope>
  /** The next thing that happened to the connection and that nobody has been told of yet. */
  readonly happened: Effect.Effect<CompanionEvent>
}

export type CompanionEvent =
  /** At the start, or later in the session. */
  | { readonly _tag: "Connected"; readonly when: "start" | "session" }
  /** Told once, however often it happens. */
  | { readonly _tag: "Lost"; readonly name: string }

export class IdeCompanion extends Context.Tag("agent/ide/IdeCompanion")<IdeCompanion, CompanionView>() {}

export const OFF_REASON = "it is off. /ide enable turns it on"

/** Where no editor can be asked. */
export const none: CompanionView = {
  status: Effect.succeed({ _tag: "Disconnected", reason: OFF_REASON }),
  connect: Effect.succeed({ _tag: "Disconnected", reason: "there is no connection to editors in this kind of run" }),
  disconnect: Effect.void,
  context: Effect.succeed(undefined),
  known: Effect.succeed(undefined),
  trust: Effect.succeed(undefined),
  trustChanged: () => Effect.never,
  openDiff: () => Effect.succeed(undefined),
  happened: Effect.never
}

/**
 * A connection to a companion, as those use it who do not know how it is made.
 * Why nobody answers.
 */
export class NoCompanion extends Data.TaggedError("NoCompanion")<{ readonly detail: string }> {}

export interface CompanionLink {
  readonly showsDiffs: boolean
  readonly call: (
    tool: string,
    args: Readonly<Record<string, unknown>>,
    within: Duration.Duration
  ) => Effect.Effect<unknown, NoCompanion>
  /** Waits for the end of the connection. */
  readonly lost: Effect.Effect<void>
}
