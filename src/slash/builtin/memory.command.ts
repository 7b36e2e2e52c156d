/** `/memory`: the context files that the model is given, and adding a fact to the user's own. */

import { Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { withoutOpening } from "../../chat/prompt-messages.ts"
import { lazy } from "../../kernel/lazy.ts"
import { ContextFiles } from "../../prompt/context-files.ts"
import { CallId } from "../../protocol/ids.ts"
import { LazyServices } from "../../tools/lazy-services.ts"
import { provideTool } from "../../tools/tool.ts"
import { type Command, print, slash } from "../command.ts"
import { failed, usageOf } from "../command-error.ts"
import { count } from "../text-table.ts"

type Services = ContextFiles | Chat | LazyServices

const keep = (name: string, typed: string) =>
  slash<Services>({
    name,
    description: "Keep a fact for all later sessions",
    usage: "<text>",
    run: Effect.fnUntraced(function* ({ args }) {
      return args === "" ? yield* usageOf(typed, "<text>") : print(yield* remember(args))
    })
  })

/** An older name of `/memory add`. */
export const saveMemory: Command<Services> = { ...keep("save_memory", "save_memory"), isHidden: true }

export const memory = slash<Services>({
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
    keep("add", "memory add"),
    slash({
      name: "inbox",
      description: "Extracted memories",
      isHidden: true,
      run: () => Effect.succeed(print("Memories are not extracted from sessions, so that there is nothing to review."))
    }),
    slash<Services>({
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
    })
  ]
})

/** The same as the model's tool does, but for the question: the person has written the fact. */
const remember = Effect.fnUntraced(function* (fact: string) {
  const { services } = yield* LazyServices
  const { saveMemory } = yield* lazy(() => import("../../tools/save-memory.tool.ts"))
  const call = yield* provideTool(saveMemory, yield* services).prepare({ fact })
  const { display } = yield* call.run({
    callId: CallId.make("memory-add"),
    progress: () => Effect.void,
    emit: () => Effect.void
  })
  const { path } = call.locations[0] ?? { path: "" }
  return `${display.text} (${path})`
}, Effect.mapError(failed))

const NONE = "No context files are in use. /init makes one."

const loaded = Effect.flatMap(ContextFiles, ({ files }) => files)

const told = (files: ReadonlyArray<{ readonly block: string }>): string => {
  const length = files.reduce((sum, { block }) => sum + block.length, 0)
  return `${count(length)} characters from ${files.length} ${files.length === 1 ? "file" : "files"}`
}
