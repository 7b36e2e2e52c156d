/**
 * The keyboard as a service. What is typed is kept from the moment the layer is built, so that nothing typed while the
 * program starts is lost; `discardTyped` is the only thing that throws keys away, before a question is asked.
 */
import { Context, type Effect } from "effect"
import type { TerminalInput } from "./key.ts"

export class Keyboard extends Context.Tag("agent/repl/Keyboard")<
  Keyboard,
  {
    /**
     * Keys arrive one by one and nothing is echoed by the terminal itself. Otherwise the terminal edits and echoes
     * whole lines, Ctrl-C is a signal and Ctrl-D ends the input.
     */
    readonly isRaw: boolean
    /** What was typed first and not taken yet; waits for it. An interrupted wait takes nothing. */
    readonly next: Effect.Effect<TerminalInput>
    /** Forgets what was typed up to now: an answer must be given by somebody who has seen the question. */
    readonly discardTyped: Effect.Effect<void>
    /** Runs another program, such as an editor, on the terminal: in its normal state, and with all keys going there. */
    readonly released: <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {}
