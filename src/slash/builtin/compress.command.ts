/** `/compress`: the older part of the conversation becomes a snapshot now. The first words of the answer are looked for by scripts. */
import { Effect, Ref } from "effect"
import { Chat } from "../../chat/chat.ts"
import type { CompressionReport } from "../../chat/history-compaction.ts"
import { SessionStats } from "../../chat/stats/session-stats.ts"
import type { ProtocolEvent } from "../../protocol/event.ts"
import { print, slash } from "../command.ts"
import { failed } from "../command-error.ts"
import { count } from "../text-table.ts"

export const compress = slash({
  name: "compress",
  aliases: ["summarize", "compact"],
  description: "Replace the older part of the conversation by a summary",
  run: Effect.fnUntraced(function* () {
    const chat = yield* Chat
    const stats = yield* SessionStats
    // What hooks have to say about it comes behind the answer.
    const notices = yield* Ref.make<ReadonlyArray<string>>([])
    const hear = (event: ProtocolEvent) =>
      event._tag === "Notice" ? Ref.update(notices, (before) => [...before, event.message]) : stats.record(event)
    const report = yield* chat.compress({ force: true, emit: hear }).pipe(Effect.mapError(failed))
    return print([outcomeOf(report), ...(yield* Ref.get(notices))].join("\n"), report)
  })
})

const outcomeOf = ({ newTokens, originalTokens, status }: CompressionReport): string => {
  const sizes = `from ${count(originalTokens)} to ${count(newTokens)} tokens`
  switch (status) {
    case "COMPRESSED":
      return `Chat history compressed ${sizes}.`
    case "CONTENT_TRUNCATED":
      return `No summary was made; old results of tools were cut, ${sizes}.`
    case "NOOP":
      return "Nothing to compress."
    case "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT":
      return "Not compressed: the summary would be longer than what it stands for."
    case "COMPRESSION_FAILED_EMPTY_SUMMARY":
      return "Not compressed: the model gave no summary."
  }
}
