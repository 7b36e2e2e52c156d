/**
 * All slash commands of a session: built in, of higher rooms, of skills, MCP prompts and files. It finds the command
 * that a line names, runs it, and knows what a line could become (completion).
 */
import { Context, type Effect } from "effect"
import type { Command, CommandResult, Completion } from "./command.ts"
import type { CommandError } from "./command-error.ts"

export class CommandRegistry extends Context.Tag("agent/commands/CommandRegistry")<
  CommandRegistry,
  {
    /** All of them, hidden ones included, in order. */
    readonly commands: Effect.Effect<ReadonlyArray<Command>>
    /** The command that a line names; `undefined` when it names none. For the question whether it may run now. */
    readonly find: (line: string) => Effect.Effect<Command | undefined>
    /**
     * Carries out a line that `isSlashLine` accepts. A line that only looks like a command (a path) comes back as
     * `SubmitTyped`; an unknown command is an error with the nearest names.
     */
    readonly run: (
      line: string,
      options: { readonly isInteractive: boolean }
    ) => Effect.Effect<CommandResult, CommandError>
    /** For a line that starts with `/`: names, sub-commands and their arguments. */
    readonly complete: (text: string, cursor: number) => Effect.Effect<Completion>
    /** Reads the commands of files and servers again. The texts say what was found, renamed or broken. */
    readonly reload: Effect.Effect<ReadonlyArray<string>>
    /** What was renamed or broken when the commands were read last. */
    readonly notices: Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/** `//` and `/*` begin a comment that somebody pasted, not a command. */
export const isSlashLine = (line: string): boolean => /^\/(?![/*])/.test(line.trimStart())
