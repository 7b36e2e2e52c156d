/** `/stats`: what the session has used so far. */
import { Clock, Effect } from "effect"
import { SessionStats, type SessionUse } from "../../chat/stats/session-stats.ts"
import { print, slash } from "../command.ts"
import { SessionFacts } from "../session-facts.ts"
import { modelText, quotaText, sessionText, toolText } from "../stats/session-stats-text.ts"

const view = (text: (use: SessionUse) => string, data: (use: SessionUse) => unknown) => () =>
  Effect.map(
    Effect.flatMap(SessionStats, ({ current }) => current),
    (use) => print(text(use), data(use))
  )

const session = Effect.fnUntraced(function* () {
  const stats = yield* SessionStats
  const { account, authType, sessionId } = yield* SessionFacts
  const use = yield* stats.current
  const quota = yield* quotaLeft
  const text = sessionText(use, { sessionId, authType, account })
  return print([text, ...quota.lines].join("\n"), { session_id: sessionId, ...use, ...quota.data })
})

const models = Effect.fnUntraced(function* () {
  const stats = yield* SessionStats
  const use = yield* stats.current
  const quota = yield* quotaLeft
  return print([modelText(use), ...quota.lines].join("\n"), { ...use.models, ...quota.data })
})

/** Of a sign-in with Google; the other services do not tell. */
const quotaLeft = Effect.gen(function* () {
  const { account } = yield* SessionFacts
  if (account === undefined) return { lines: [], data: {} }
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.match(account.quota, {
    onFailure: ({ detail }) => ({ lines: ["", `The quota that is left could not be asked: ${detail}.`], data: {} }),
    onSuccess: (quota) => ({ lines: quota.length === 0 ? [] : ["", quotaText(quota, now)], data: { quota } })
  })
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
    slash<SessionStats | SessionFacts>({
      name: "model",
      description: "Requests and tokens of each model, and the quota that is left",
      isConcurrent: true,
      run: models
    }),
    slash({
      name: "tools",
      description: "Calls and decisions for each tool",
      isConcurrent: true,
      run: view(toolText, ({ tools }) => tools)
    })
  ]
})
