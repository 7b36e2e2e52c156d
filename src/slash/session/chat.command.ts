/**
 * `/chat`, also called `/resume`: earlier conversations. Alone it lists the recorded sessions of the project and goes on
 * with the chosen one; its sub-commands keep conversations under names.
 */
import { Clock, Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import type { Environment } from "../../config/environment.ts"
import { Storage } from "../../config/storage.ts"
import type { ModelClient } from "../../model/model-client.ts"
import type { UtilityModels } from "../../model/utility-models.ts"
import { RunReaders } from "../../protocol/run-readers.ts"
import { deleteChat, listChats, loadChat, saveChat } from "../../session/browse/saved-chats.ts"
import { listSessions } from "../../session/browse/session-list.ts"
import { oneShotMark, relativeTime } from "../../session/browse/session-text.ts"
import { resumeSession } from "../../session/record/open-session.ts"
import { SessionRecorder } from "../../session/record/session-recorder.ts"
import { type Command, type CommandCompletion, type CommandResult, print, slash } from "../command.ts"
import { CommandError, failed, usageOf } from "../command-error.ts"
import { SessionFacts } from "../session-facts.ts"
import { textTable } from "../text-table.ts"
import { share } from "./share.command.ts"
import { summarizeSessions, untitled } from "./summarize-sessions.ts"

type Services = SavedServices | SessionRecorder | Environment | ModelClient | UtilityModels

const summarize = slash<Services>({
  name: "summarize",
  description: "Ask a model for titles of earlier conversations that have none",
  run: Effect.fnUntraced(function* () {
    const facts = yield* SessionFacts
    const sessions = untitled(yield* otherSessions)
    if (sessions.length === 0) return print("Every earlier conversation has a title.", [])
    const titles = yield* summarizeSessions(sessions, yield* facts.secrets)
    const lines = titles.map(({ id, reason, title }) => `${title ?? `no title: ${reason}`} [${id.slice(0, 8)}]`)
    return print(lines.join("\n"), titles)
  })
})

type SavedServices = Storage | Chat | SessionFacts | RunReaders

const saved = Effect.map(Storage, (storage) => {
  const tempDir = storage.knownProjectTempDir()
  return tempDir === undefined ? [] : listChats(tempDir)
})

/** The newest first. */
const completeTag = Effect.fnUntraced(function* (typed: string): Effect.fn.Return<CommandCompletion, never, Storage> {
  const tags = (yield* saved).map(({ tag }) => tag).toReversed()
  return { from: 0, candidates: tags.filter((tag) => tag.startsWith(typed)).map((value) => ({ value })) }
})

/** Conversations that are kept under a name: `/chat list`, `save`, `resume` and `delete`. */
const listSaved = slash<SavedServices>({
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

const saveAs = slash<SavedServices>({
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

const loadSaved = slash<SavedServices>({
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

const deleteSaved = slash<SavedServices>({
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

const ofKept: ReadonlyArray<Command<Services>> = [listSaved, saveAs, loadSaved, deleteSaved, share]

/** An older way to say the same. */
const checkpoints = slash<Services>({
  name: "checkpoints",
  isHidden: true,
  description: "Conversations that are kept under a name",
  subcommands: ofKept
})

const named = (name: string): Command<Services> =>
  slash<Services>({
    name,
    description: "Go on with an earlier conversation, or keep this one under a name",
    usage: "[session]",
    subcommands: [...ofKept, checkpoints, summarize],
    complete: Effect.fnUntraced(function* (typed) {
      const others = yield* otherSessions
      const candidates = others
        .filter(({ id }) => id.startsWith(typed))
        .map(({ id, title }) => ({ value: id, hint: title }))
      return { from: 0, candidates }
    }),
    run: ({ args }) => (args === "" ? choose : resume(args))
  })

export const chat = named("chat")
export const resumeCommand = named("resume")

/** Those that are not going on here. */
const otherSessions = Effect.gen(function* () {
  const { sessionId } = yield* Effect.flatMap(SessionRecorder, ({ session }) => session)
  const sessions = yield* allSessions
  return sessions.filter(({ id }) => id !== sessionId)
})

const allSessions = Effect.gen(function* () {
  const storage = yield* Storage
  const tempDir = storage.knownProjectTempDir()
  return tempDir === undefined ? [] : yield* listSessions(tempDir)
})

/** The newest first, as nearly always one of them is meant. */
const MAX_SHOWN = 20

const choose = Effect.gen(function* () {
  const services = yield* Effect.context<Storage | SessionRecorder>()
  const now = yield* Clock.currentTimeMillis
  const others = yield* otherSessions
  if (others.length === 0) return print("There is no other conversation in this project yet.", [])
  const shown = others.toSorted((a, b) => (a.lastUpdated < b.lastUpdated ? 1 : -1)).slice(0, MAX_SHOWN)
  const left = others.length - shown.length
  return {
    _tag: "Ask",
    question: {
      text: `With which conversation do you want to go on?${left === 0 ? "" : ` (the newest ${MAX_SHOWN} of ${others.length})`}`,
      choices: shown.map((session) => ({
        value: session.id,
        label: session.title,
        hint: `${relativeTime(session.lastUpdated, now)}${oneShotMark(session)}`
      })),
      answer: (id) => Effect.provide(resume(id), services)
    }
  } satisfies CommandResult as CommandResult
})

const resume = Effect.fnUntraced(function* (wanted: string) {
  const storage = yield* Storage
  const recorder = yield* SessionRecorder
  const { sessionId } = yield* recorder.session
  if (wanted === sessionId) return yield* isHere
  const opened = yield* Effect.mapError(
    resumeSession({ tempDir: storage.knownProjectTempDir(), wanted, latest: "conversation-first" }),
    failed
  )
  if (opened._tag === "None") return print("There is no conversation to go on with yet.")
  return { _tag: "ResumeSession", opened: opened.value } satisfies CommandResult as CommandResult
})

const isHere = new CommandError({ kind: "failed", detail: "This is the conversation that is going on here." })
