/** `/chat share [file]`: the conversation in a file to give away. */
import { extname, resolve } from "node:path"
import { Clock, Effect, Schema } from "effect"
import { redactionOf, type Secret } from "../../kernel/redact-secrets.ts"
import type { Content } from "../../protocol/content.ts"
import { writeFileAtomic } from "../../system/atomic-write.ts"
import { shareJson, shareMarkdown } from "./share.ts"

export class ChatNotShared extends Schema.TaggedError<ChatNotShared>()("ChatNotShared", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

export interface ShareOptions {
  readonly cwd: string
  /** Ends in `.json` or `.md`; a name is made up where it is absent. */
  readonly file?: string | undefined
  readonly history: ReadonlyArray<Content>
  readonly secrets: ReadonlyArray<Secret>
}

/** The file that was written. */
export const shareChat = Effect.fn("SavedChats.share")(function* ({ cwd, file, history, secrets }: ShareOptions) {
  const name = file ?? `gemini-conversation-${yield* Clock.currentTimeMillis}.json`
  const ending = extname(name).toLowerCase()
  if (ending !== ".json" && ending !== ".md") {
    return yield* new ChatNotShared({ detail: `${name} must end in .json or .md` })
  }
  const target = resolve(cwd, name)
  const text = ending === ".md" ? shareMarkdown(history) : shareJson(history)
  yield* writeFileAtomic({ file: target, content: redactionOf(secrets)(text) }).pipe(
    Effect.mapError(({ message }) => new ChatNotShared({ detail: message }))
  )
  return target
})
