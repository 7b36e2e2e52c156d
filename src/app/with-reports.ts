/**
 * A report of a failure that its message cannot explain: an answer that cannot be used, a request that the service
 * calls wrong, a fault of the program. Loaded when one has happened.
 */
import { Effect, Stream } from "effect"
import { Chat } from "../chat/chat.ts"
import { Stderr } from "../output/stderr.ts"
import type { AppInput } from "./app.ts"

export const withReports = Effect.fnUntraced(function* <E, R>(
  input: AppInput,
  chat: Effect.Effect<Chat["Type"], E, R>
) {
  const inner = yield* chat
  const stderr = yield* Stderr
  return Chat.of({
    ...inner,
    send: (prompt) =>
      Stream.tapErrorCause(inner.send(prompt), (cause) =>
        Effect.flatMap(
          Effect.promise(() => import("./error-report.ts")),
          ({ reportError }) => reportError(cause, { input, history: inner.history, notify: stderr.notice })
        )
      )
  })
})
