/**
 * The terminal of the person, as commands see it: in a conversation a command runs on a terminal of its own, and the
 * person may sit down at it. Where nobody does, and in headless runs, commands run on pipes.
 */
import { Context, Effect, Layer, type Option } from "effect"
import type { TerminalSize } from "./launch.ts"
import type { ShellCommand } from "./shell-command.ts"

export class PersonTerminal extends Context.Tag("agent/shell/PersonTerminal")<
  PersonTerminal,
  {
    /** Of the window, as it is now; `None`: commands run on pipes. */
    readonly size: Effect.Effect<Option.Option<TerminalSize>>
    /**
     * Gives the whole terminal to the command: all keys go there, all that it writes is seen as it is. Ends when the
     * person leaves it running; interrupt it when the command has ended.
     */
    readonly attach: (command: ShellCommand) => Effect.Effect<void>
    /** The same, as soon as the person asks for it. */
    readonly offer: (command: ShellCommand) => Effect.Effect<void>
    /** The person asks for the command that was offered last; `false`: there is none. */
    readonly takeOver: Effect.Effect<boolean>
  }
>() {}

export const layerNone: Layer.Layer<PersonTerminal> = Layer.succeed(PersonTerminal, {
  size: Effect.succeedNone,
  attach: () => Effect.never,
  offer: () => Effect.never,
  takeOver: Effect.succeed(false)
})
