/** `/compress`: the older part of the conversation becomes a snapshot now. The first words of the answer are looked for by scripts. */
import { Effect } from "effect"
import { Chat } from "../../chat/chat.ts"
import { SessionStats } from "../../chat/stats/session-stats.ts"
import { print, slash } from "../command.ts"
import { CommandError } from "../command-error.ts"
import { count } from "../text-table.ts"

export const compress = slash({
  name: "compress",
  aliases: ["summarize", "compact"],
  description: "Replace the older part of the conversation by a summary",
  run: Effect.fnUntraced(function* () {
    const chat = yield* Chat
    const stats = yield* SessionStats
    const report = yield* chat
      .compress({ force: true, emit: stats.record })
      .pipe(Effect.mapError(({ message }) => new CommandError({ kind: "failed", detail: message })))
    const { newTokens, originalTokens, status } = report
    const sizes = `from ${count(originalTokens)} to ${count(newTokens)} tokens`
    switch (status) {
      case "COMPRESSED":
        return print(`Chat history compressed ${sizes}.`, report)
      case "CONTENT_TRUNCATED":
        return print(`No summary was made; old results of tools were cut, ${sizes}.`, report)
      case "NOOP":
        return print("Nothing to compress.", report)
      case "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT":
        return print("Not compressed: the summary would be longer than what it stands for.", report)
      case "COMPRESSION_FAILED_EMPTY_SUMMARY":
        return print("Not compressed: the model gave no summary.", report)
    }
  })
})
