/** Conversations that are kept under a name: `/chat list`, `save`, `resume` and `delete`. */
import { Clock, Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { Storage } from "../../config/storage.ts"
import { RunReaders } from "../../protocol/run-readers.ts"
import { deleteChat, listChats, loadChat, saveChat } from "../../session/browse/saved-chats.ts"
import { relativeTime } from "../../session/browse/session-title.ts"
import { type CommandResult, type Completion, print, slash } from "../command.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"
import { SessionFacts } from "../session-facts.ts"
import { textTable } from "../text-table.ts"

export type SavedServices = Storage | Chat | SessionFacts | RunReaders

const saved = Effect.map(Storage, (storage) => {
  const tempDir = storage.knownProjectTempDir()
  return tempDir === undefined ? [] : listChats(tempDir)
})

/** The newest first. */
const completeTag = Effect.fnUntraced(function* (typed: string): Effect.fn.Return<Completion, never, Storage> {
  const tags = (yield* saved).map(({ tag }) => tag).toReversed()
  return { from: 0, candidates: tags.filter((tag) => tag.startsWith(typed)).map((value) => ({ value })) }
})

export const listSaved = slash<SavedServices>({
  name: "list",
  description: "Conversations that are kept under a name, the oldest first",
  run: Effect.fnUntraced(function* () {
    const chats = yield* saved
    const now = yield* Clock.currentTimeMillis
    const rows = chats.map(({ savedAt, tag }) => ({ tag, savedAt: new Date(savedAt).toISOString() }))
    if (rows.length === 0) return print("No conversation is kept yet. /chat save <tag> keeps this one.", rows)
    const lines = rows.map(({ savedAt, tag }) => [tag, relativeTime(savedAt, now)])
    return print(textTable(lines, "  "), rows)
  })
})

export const saveAs = slash<SavedServices>({
  name: "save",
  description: "Keep this conversation under a name",
  usage: "<tag>",
  complete: completeTag,
  run: ({ args }) => (args === "" ? usageOf("chat save", "<tag>") : save(args, false))
})

const save = (tag: string, overwrite: boolean): Effect.Effect<CommandResult, CommandError, SavedServices> =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const facts = yield* SessionFacts
    const chat = yield* Chat
    const services = yield* Effect.context<SavedServices>()
    const tempDir = yield* Effect.mapError(storage.projectTempDir, failed)
    return yield* saveChat({
      tempDir,
      tag,
      overwrite,
      history: yield* chat.history,
      authType: facts.authType ?? "none",
      secrets: yield* facts.secrets
    }).pipe(
      Effect.map((file): CommandResult => print(`The conversation is kept as ${tag}.`, { tag, file })),
      Effect.catchAll((error) =>
        error.kind === "exists"
          ? Effect.succeed(overwriting(tag, Effect.provide(save(tag, true), services)))
          : Effect.fail(failed(error))
      )
    )
  })

const overwriting = (tag: string, again: Effect.Effect<CommandResult, CommandError>): CommandResult => ({
  _tag: "Ask",
  question: {
    text: `A conversation is kept as ${tag} already. Overwrite it?`,
    choices: [
      { value: "yes", label: "Yes" },
      { value: "no", label: "No" }
    ],
    answer: (value) => (value === "yes" ? again : Effect.succeed(print(`${tag} stays as it is.`)))
  }
})

export const loadSaved = slash<SavedServices>({
  name: "resume",
  aliases: ["load"],
  description: "Go on from a conversation that was kept",
  usage: "<tag>",
  complete: completeTag,
  run: Effect.fnUntraced(function* ({ args }) {
    if (args === "") return yield* usageOf("chat resume", "<tag>")
    const storage = yield* Storage
    const facts = yield* SessionFacts
    const chat = yield* Chat
    const readers = yield* RunReaders
    const tempDir = yield* Effect.mapError(storage.projectTempDir, failed)
    const { history } = yield* Effect.mapError(loadChat(tempDir, args, facts.authType ?? "none"), failed)
    yield* chat.replaceHistory(history)
    yield* readers.onHistory({ _tag: "Shortened", contents: yield* chat.history })
    return {
      _tag: "Recall",
      told: `The conversation goes on from ${args}.`,
      history
    } satisfies CommandResult as CommandResult
  })
})

export const deleteSaved = slash<SavedServices>({
  name: "delete",
  description: "Forget a conversation that was kept",
  usage: "<tag>",
  complete: completeTag,
  run: Effect.fnUntraced(function* ({ args }) {
    if (args === "") return yield* usageOf("chat delete", "<tag>")
    const storage = yield* Storage
    const tempDir = yield* Effect.mapError(storage.projectTempDir, failed)
    const isDeleted = yield* Effect.mapError(deleteChat(tempDir, args), failed)
    if (isDeleted) return print(`${args} is deleted.`, { tag: args })
    return yield* new CommandError({
      kind: "failed",
      detail: `No conversation is kept as ${args}.`,
      advice: "/chat list"
    })
  })
})
