/** The exit code of a sub-command that ends well but has more than one thing to say, such as the verdict of a policy. */
import { Context, Effect, Ref } from "effect"

export class CommandExit extends Context.Tag("agent/cli/CommandExit")<CommandExit, Ref.Ref<number>>() {}

export const exitWith = (code: number) => Effect.flatMap(CommandExit, (exit) => Ref.set(exit, code))
