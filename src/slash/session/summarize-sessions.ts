/**
 * Titles for recorded sessions, one line each, by asking a small model. Only where somebody wants them: lists never do.
 * Bounded in number, in what is sent and in time; a session for which there is no answer keeps its first question.
 */
import { Effect, Either } from "effect"
import { redactionOf, type Secret } from "../../kernel/redact-secrets.ts"
import { askText } from "../../model/utility-call.ts"
import type { SessionEntry } from "../../session/browse/session-list.ts"
import { forSummary, keepSummary, summaryOf, summaryRequest } from "../../session/browse/summary.ts"
import { readSession } from "../../session/record/session-reader.ts"

export interface SummarizedSession {
  readonly id: string
  /** Absent where none could be made. */
  readonly title: string | undefined
  readonly reason?: string
}

const AT_ONCE = 2
const TIMEOUT = "5 seconds"
const MOST = 20

/** Those without a title, the newest first. */
export const untitled = (sessions: ReadonlyArray<SessionEntry>): ReadonlyArray<SessionEntry> =>
  sessions
    .filter(({ metadata }) => metadata.summary === undefined)
    .toSorted((a, b) => (a.lastUpdated < b.lastUpdated ? 1 : -1))
    .slice(0, MOST)

export const summarizeSessions = Effect.fn("Sessions.summarize")(function* (
  sessions: ReadonlyArray<SessionEntry>,
  secrets: ReadonlyArray<Secret>
) {
  const clean = redactionOf(secrets)
  return yield* Effect.forEach(
    sessions,
    (session) => Effect.map(Effect.either(summarize(session, clean)), told(session)),
    {
      concurrency: AT_ONCE
    }
  )
})

const told =
  ({ id }: SessionEntry) =>
  (result: Either.Either<string, { readonly message: string }>): SummarizedSession =>
    Either.match(result, {
      onLeft: ({ message }) => ({ id, title: undefined, reason: message }),
      onRight: (title) => ({ id, title })
    })

const summarize = Effect.fnUntraced(function* (session: SessionEntry, clean: (text: string) => string) {
  const { messages } = yield* readSession(session.file, forSummary)
  const contents = summaryRequest(messages)
  if (contents === undefined) return yield* Effect.fail({ message: "nothing was asked in it" })
  const answer = yield* askText({ alias: "summarizer-default", contents, role: "utility_summarizer", timeout: TIMEOUT })
  const summary = summaryOf(clean(answer))
  if (summary === undefined) return yield* Effect.fail({ message: "the model said nothing" })
  yield* keepSummary(session, summary)
  return summary
})
