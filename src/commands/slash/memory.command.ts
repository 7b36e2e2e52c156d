/** `/memory`: the context files that the model is given. */
import { Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { withoutOpening } from "../../chat/prompt-messages.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { print, slash } from "../command.ts"
import { count } from "../text-table.ts"
import { unavailableIn } from "./unavailable.ts"

export const memory = slash<ContextFiles | Chat>({
  name: "memory",
  description: "Context files that the model is given",
  subcommands: [
    slash({
      name: "show",
      description: "Their text",
      run: Effect.fnUntraced(function* () {
        const files = yield* loaded
        if (files.length === 0) return print(NONE, { files: [] })
        const text = files.map(({ block }) => block).join("\n\n")
        return print(`${told(files)}\n\n${text}`, {
          files: files.map(({ block, path, tier }) => ({ path, tier, text: block }))
        })
      })
    }),
    slash({
      name: "list",
      description: "Their paths",
      run: Effect.fnUntraced(function* () {
        const files = yield* loaded
        const paths = files.map(({ path }) => path)
        return print(files.length === 0 ? NONE : [told(files), ...paths.map((path) => `  ${path}`)].join("\n"), {
          files: paths
        })
      })
    }),
    slash<ContextFiles | Chat>({
      name: "reload",
      aliases: ["refresh"],
      description: "Read them again",
      run: Effect.fnUntraced(function* () {
        const contexts = yield* ContextFiles
        const chat = yield* Chat
        yield* contexts.reload
        // The files of the project stand at the beginning of the conversation.
        yield* chat.replaceHistory(withoutOpening(yield* chat.history))
        const files = yield* contexts.files
        const warnings = yield* contexts.takeWarnings
        return print([told(files), ...warnings].join("\n"), { files: files.map(({ path }) => path), warnings })
      })
    }),
    unavailableIn("memory", "inbox")
  ]
})

const NONE = "No context files are in use. /init makes one."

const loaded = Effect.flatMap(ContextFiles, ({ files }) => files)

const told = (files: ReadonlyArray<{ readonly block: string }>): string => {
  const length = files.reduce((sum, { block }) => sum + block.length, 0)
  return `${count(length)} characters from ${files.length} ${files.length === 1 ? "file" : "files"}`
}
