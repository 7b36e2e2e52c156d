/**
 * Conversations that a person saved under a name: `/chat save`, `resume`, `list`, `delete`. One file for each name in the
 * project's folder; the name is encoded, so whatever was typed stays inside it. Files of older versions carry the name
 * as it is, and are found too.
 */
import { existsSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect, Either, Predicate, Schema } from "effect"
import { redactionOf, type Secret } from "../../kernel/redact-secrets.ts"
import type { Content } from "../../protocol/content.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { namesIn } from "../../system/folder-names.ts"
import { statOrNone } from "../../system/regular-file.ts"
import { readConversation, type SavedConversation } from "../record/foreign-conversation.ts"
import { SessionUnreadable } from "../record/session-reader.ts"
import { withoutContext } from "./share.ts"

const PREFIX = "checkpoint-"
const ENDING = ".json"

export interface SavedChat {
  readonly tag: string
  readonly file: string
  /** Epoch milliseconds. */
  readonly savedAt: number
}

export class ChatNotSaved extends Schema.TaggedError<ChatNotSaved>()("ChatNotSaved", {
  tag: Schema.String,
  kind: Schema.Literal("empty", "exists", "no-tag", "failed"),
  detail: Schema.String
}) {
  override get message() {
    return NOT_SAVED[this.kind](this)
  }
}

const NOT_SAVED: Readonly<Record<ChatNotSaved["kind"], (error: ChatNotSaved) => string>> = {
  empty: () => "There is nothing to save: nothing was said yet.",
  exists: ({ tag }) => `A conversation is saved as "${tag}" already.`,
  "no-tag": () => "Name the conversation: /chat save <tag>",
  failed: ({ detail }) => `The conversation was not saved: ${detail}`
}

export class ChatOfOtherAccount extends Schema.TaggedError<ChatOfOtherAccount>()("ChatOfOtherAccount", {
  tag: Schema.String,
  savedWith: Schema.String,
  current: Schema.String
}) {
  override get message() {
    return `"${this.tag}" was saved while signed in by ${this.savedWith}; now it is ${this.current}, so it cannot be resumed.`
  }
}

/** Oldest first. */
export const listChats = (tempDir: string): ReadonlyArray<SavedChat> =>
  namesIn(tempDir)
    .filter((name) => name.startsWith(PREFIX) && name.endsWith(ENDING))
    .flatMap((name) => {
      const file = join(tempDir, name)
      const savedAt = statOrNone(file)?.mtimeMs
      return savedAt === undefined ? [] : [{ tag: tagOf(name), file, savedAt }]
    })
    .toSorted((a, b) => a.savedAt - b.savedAt)

export interface SaveOptions {
  readonly tempDir: string
  readonly tag: string
  readonly history: ReadonlyArray<Content>
  readonly authType: string
  readonly secrets: ReadonlyArray<Secret>
  /** Replace what is saved under this name. */
  readonly overwrite: boolean
}

export const saveChat = Effect.fn("SavedChats.save")(function* (options: SaveOptions) {
  const { authType, history, overwrite, tag, tempDir } = options
  const refuse = (kind: ChatNotSaved["kind"], detail = "") => new ChatNotSaved({ tag, kind, detail })
  if (tag.trim() === "") return yield* refuse("no-tag")
  if (withoutContext(history).length === 0) return yield* refuse("empty")
  const file = fileOf(tempDir, tag)
  if (!overwrite && fileFor(tempDir, tag) !== undefined) return yield* refuse("exists")
  const content = redactionOf(options.secrets)(JSON.stringify({ history, authType }, null, 2))
  yield* Effect.mapError(writeFileAtomic({ file, content, mode: 0o600 }), ({ message }) => refuse("failed", message))
  return file
})

/** Refused where it was saved under another way to sign in: its parts may mean nothing there. */
export const loadChat = Effect.fn("SavedChats.load")(function* (
  tempDir: string,
  tag: string,
  current: string
): Effect.fn.Return<SavedConversation, SessionUnreadable | ChatOfOtherAccount> {
  const file = fileFor(tempDir, tag)
  if (file === undefined) {
    return yield* new SessionUnreadable({ file: tag, reason: "is not a saved conversation of this project" })
  }
  const saved = yield* readConversation(file)
  if (saved.authType !== undefined && saved.authType !== current) {
    return yield* new ChatOfOtherAccount({ tag, savedWith: saved.authType, current })
  }
  return { ...saved, history: withoutContext(saved.history) }
})

/** False where nothing was saved under this name. */
export const deleteChat = (tempDir: string, tag: string): Effect.Effect<boolean, ChatNotSaved> =>
  Effect.try({
    try: () => {
      const files = candidates(tempDir, tag).filter((file) => existsSync(file))
      for (const file of files) rmSync(file, { force: true })
      return files.length > 0
    },
    catch: (cause) =>
      new ChatNotSaved({
        tag,
        kind: "failed",
        detail: Predicate.hasProperty(cause, "code") ? String(cause.code) : String(cause)
      })
  })

const fileOf = (tempDir: string, tag: string): string => join(tempDir, `${PREFIX}${encodeURIComponent(tag)}${ENDING}`)

/** The name as typed only where it is one: no path leads out of the folder. */
const candidates = (tempDir: string, tag: string): ReadonlyArray<string> => {
  const raw = `${PREFIX}${tag}${ENDING}`
  return [fileOf(tempDir, tag), ...(basename(raw) === raw ? [join(tempDir, raw)] : [])]
}

const fileFor = (tempDir: string, tag: string): string | undefined =>
  candidates(tempDir, tag).find((file) => existsSync(file))

const tagOf = (name: string): string => {
  const encoded = name.slice(PREFIX.length, -ENDING.length)
  return Either.getOrElse(
    Either.try(() => decodeURIComponent(encoded)),
    () => encoded
  )
}
