/**
 * Who reads along while a conversation goes on: one list, in the order in which they are told, and every member takes
 * what it is interested in. Whoever shows a prompt's answer reads the stream of the chat instead, after all of these.
 */
import { Context, Effect } from "effect"
import { service } from "../kernel/layers.ts"
import type { Content } from "./content.ts"
import type { ProtocolEvent } from "./event.ts"

/** Returns when the reader is done: nobody after it, and no later request, comes before that. */
export interface RunReader {
  /** Before anybody reads the event: adds what is known here alone, such as what a request cost. */
  readonly complete?: (event: ProtocolEvent) => Effect.Effect<ProtocolEvent>
  readonly onEvent?: (event: ProtocolEvent) => Effect.Effect<void>
  readonly onHistory?: (change: HistoryChange) => Effect.Effect<void>
  /** The work on a prompt has ended. */
  readonly onEnd?: (end: PromptEnd) => Effect.Effect<void>
}

export type HistoryChange =
  /** A message entered the conversation. It may begin with the description of the surroundings. */
  | {
      readonly _tag: "Added"
      readonly content: Content
      /** The conversation with it, from which a lost record can be written again. */
      readonly all?: ReadonlyArray<Content>
    }
  /** The conversation was made shorter; this is all of it. */
  | { readonly _tag: "Shortened"; readonly contents: ReadonlyArray<Content> }

/** A question that was not answered has left the conversation again. */
export type PromptEnd =
  | { readonly _tag: "Answered" }
  | { readonly _tag: "Failed"; readonly message: string }
  | { readonly _tag: "Cancelled" }

export class RunReaders extends Context.Tag("agent/protocol/RunReaders")<
  RunReaders,
  {
    /** Tells all of them, and gives the event as they have read it. */
    readonly onEvent: (event: ProtocolEvent) => Effect.Effect<ProtocolEvent>
    readonly onHistory: (change: HistoryChange) => Effect.Effect<void>
    readonly onEnd: (end: PromptEnd) => Effect.Effect<void>
  }
>() {}

/** In the order given. */
export const layer = <Needs extends ReadonlyArray<unknown>>(
  ...readers: { readonly [Index in keyof Needs]: Effect.Effect<RunReader, never, Needs[Index]> }
) => {
  const each: ReadonlyArray<Effect.Effect<RunReader, never, Needs[number]>> = readers
  return service(RunReaders, Effect.map(Effect.all(each), readInTurn))
}

export const readInTurn = (readers: ReadonlyArray<RunReader>): RunReaders["Type"] => {
  const completing = readers.flatMap(({ complete }) => complete ?? [])
  const complete = (event: ProtocolEvent) =>
    completing.reduce<Effect.Effect<ProtocolEvent>>(
      (before, step) => Effect.flatMap(before, step),
      Effect.succeed(event)
    )
  const read = inTurn(readers.flatMap(({ onEvent }) => onEvent ?? []))
  return RunReaders.of({
    onEvent: (event) => Effect.tap(complete(event), read),
    onHistory: inTurn(readers.flatMap(({ onHistory }) => onHistory ?? [])),
    onEnd: inTurn(readers.flatMap(({ onEnd }) => onEnd ?? []))
  })
}

const inTurn =
  <A>(told: ReadonlyArray<(news: A) => Effect.Effect<void>>) =>
  (news: A): Effect.Effect<void> =>
    told.reduce<Effect.Effect<void>>((before, tell) => Effect.zipRight(before, tell(news)), Effect.void)
