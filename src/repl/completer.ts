/** What the text at the cursor could become: commands, references to files, and in shell lines what a shell would offer. */
import { Effect } from "effect"
import { CommandRegistry, isSlashLine } from "../slash/command-registry.ts"
import { PromptExpansion } from "../slash/prompt-expansion.ts"
import { ShellLine } from "../slash/shell-line.ts"
import type { Completer } from "./editor/line-editor.ts"

export const makeCompleter = Effect.fnUntraced(function* (isShellMode: Effect.Effect<boolean>) {
  const registry = yield* CommandRegistry
  const expansion = yield* PromptExpansion
  const shell = yield* ShellLine
  const completer: Completer = Effect.fnUntraced(function* (text, cursor) {
    // The command begins behind the `!`, or with the line.
    const start = (yield* isShellMode) ? 0 : /^\s*!/.exec(text)?.[0].length
    if (start !== undefined && cursor >= start) {
      const { candidates, from } = yield* shell.complete(text.slice(start), cursor - start)
      return { from: from + start, candidates }
    }
    if (isSlashLine(text)) return yield* registry.complete(text, cursor)
    return (yield* expansion.complete(text, cursor)) ?? { from: cursor, candidates: [] }
  })
  return {
    completer,
    // Not a child: the key is echoed before anything is looked for.
    prepare: (typed: string) =>
      typed.includes("@") ? Effect.asVoid(Effect.forkDaemon(expansion.prepare)) : Effect.void
  }
})
