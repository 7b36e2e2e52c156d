/** What the text at the cursor could become: commands, references to files, and in shell lines what a shell would offer. */
import { Effect } from "effect"
import { CommandRegistry, isSlashLine } from "../commands/command-registry.ts"
import { PromptExpansion } from "../commands/prompt-expansion.ts"
import type { Completer } from "./editor/line-editor.ts"

export const makeCompleter = Effect.gen(function* () {
  const registry = yield* CommandRegistry
  const expansion = yield* PromptExpansion
  const completer: Completer = Effect.fnUntraced(function* (text, cursor) {
    if (isSlashLine(text)) return yield* registry.complete(text, cursor)
    return (yield* expansion.complete(text, cursor)) ?? { from: cursor, candidates: [] }
  })
  return completer
})
