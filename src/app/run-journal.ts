/**
 * The journal by which runs are taken back, joined to the chat whose prompts are those runs. Its code is loaded at the
 * first call that may change a file.
 */
import { Deferred, Effect, Stream } from "effect"
import { Chat } from "../chat/chat.ts"
import type { Secret } from "../kernel/redact-secrets.ts"
import { SessionRecorder } from "../session/session-recorder.ts"
import * as ChangeJournal from "../session/undo/change-journal.ts"
import type { AppInput } from "./app.ts"
import type { ToolPlaces } from "./tool-places.ts"

/** `own`: credentials of this run that no variable holds. */
export const journal = ({ config }: AppInput, places: ToolPlaces, own: ReadonlyArray<Secret>) =>
  Effect.flatMap(SessionRecorder, (recorder) => {
    const session = Effect.map(recorder.session, ({ sessionId }) => sessionId)
    return ChangeJournal.make(
      Effect.flatMap(
        Effect.promise(() => import("./record-changes.ts")),
        ({ recordChanges }) => recordChanges({ config, places, own, session })
      )
    )
  })

/** Every prompt is a run of its own. */
export const withRuns = Effect.fnUntraced(function* <E, R>(chat: Effect.Effect<Chat["Type"], E, R>) {
  const inner = yield* chat
  const journal = yield* ChangeJournal.ChangeJournal
  return Chat.of({
    ...inner,
    send: (prompt) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const over = yield* Deferred.make<void>()
          yield* journal.beginRun({ title: prompt.text, history: inner.history, over: Deferred.await(over) })
          return Stream.ensuring(inner.send(prompt), Deferred.succeed(over, undefined))
        })
      )
  })
})
