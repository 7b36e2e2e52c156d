/**
 * What a person sees of a conversation: one reader of the events of a run. Lines that are finished are printed and stay;
 * the unfinished line of an answer, or what is being waited for, stands in the temporary line below them.
 */
import { Context, type Effect } from "effect"
import type { ProtocolEvent } from "../../protocol/event.ts"

export class Transcript extends Context.Tag("agent/repl/Transcript")<
  Transcript,
  {
    readonly onEvent: (event: ProtocolEvent) => Effect.Effect<void>
    /**
     * Runs one prompt with the status line below it. However it ends, what had arrived is printed, the temporary line is
     * gone and the footer is written.
     */
    readonly during: <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {}
