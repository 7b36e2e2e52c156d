/** `/editor`: write the next prompt in an editor, or say which one. */
import { Effect } from "effect"
import { storeSetting } from "../../config/edit-settings.ts"
import { Storage } from "../../config/storage.ts"
import { type CommandResult, print, slash } from "../command.ts"
import { CommandError } from "../command-error.ts"

export const editor = slash({
  name: "editor",
  description: "Write the next prompt in $VISUAL or $EDITOR; with a name, prefer that editor",
  usage: "[program]",
  run: Effect.fnUntraced(function* ({ args }) {
    if (args === "") return { _tag: "EditDraft", text: "" } satisfies CommandResult as CommandResult
    const { userSettingsFile } = yield* Storage
    yield* storeSetting(
      { scope: "user", file: userSettingsFile },
      { key: "general.preferredEditor", inside: [] },
      args
    ).pipe(Effect.mapError(({ message }) => new CommandError({ kind: "failed", detail: message })))
    return print(`general.preferredEditor is now ${args}; it counts from the next start.`)
  })
})
