/** `/stats`: what the session has used so far. */
import { Effect } from "effect"
import { SessionStats, type SessionUse } from "../../chat/stats/session-stats.ts"
import { print, slash } from "../command.ts"
import { SessionFacts } from "../session-facts.ts"
import { modelText, sessionText, toolText } from "../stats/session-stats-text.ts"

const view = (text: (use: SessionUse) => string, data: (use: SessionUse) => unknown) => () =>
  Effect.map(
    Effect.flatMap(SessionStats, ({ current }) => current),
    (use) => print(text(use), data(use))
  )

const session = Effect.fnUntraced(function* () {
  const stats = yield* SessionStats
  const { authType, sessionId } = yield* SessionFacts
  const use = yield* stats.current
  return print(sessionText(use, { sessionId, authType }), { session_id: sessionId, ...use })
})

export const stats = slash<SessionStats | SessionFacts>({
  name: "stats",
  aliases: ["usage"],
  description: "Time, tokens and tools of this session",
  isConcurrent: true,
  run: session,
  subcommands: [
    slash<SessionStats | SessionFacts>({
      name: "session",
      description: "All in one view",
      isConcurrent: true,
      run: session
    }),
    slash({
      name: "model",
      description: "Requests and tokens of each model",
      isConcurrent: true,
      run: view(modelText, ({ models }) => models)
    }),
    slash({
      name: "tools",
      description: "Calls and decisions for each tool",
      isConcurrent: true,
      run: view(toolText, ({ tools }) => tools)
    })
  ]
})
