/**
 * The journal by which runs are taken back, joined to the chat whose prompts are those runs. Its code is loaded at the
 * first call that may change a file.
 */
import { Effect, Layer, Stream } from "effect"
import { Chat } from "../chat/chat.ts"
import { SessionRecorder } from "../session/session-recorder.ts"
import * as ChangeJournal from "../session/undo/change-journal.ts"
import type { AppInput } from "./app.ts"
import type { ToolPlaces } from "./tool-places.ts"

export const journalLayer = ({ config }: AppInput, { includeDirectories }: ToolPlaces) =>
  Layer.unwrapEffect(
    Effect.map(SessionRecorder, (recorder) => {
      const session = Effect.map(recorder.session, ({ sessionId }) => sessionId)
      return ChangeJournal.layer(
        Effect.flatMap(
          Effect.promise(() => import("./record-changes.ts")),
          ({ recordChanges }) => recordChanges({ config, includeDirectories, session })
        )
      )
    })
  )

/** Every prompt is a run of its own. */
export const withRuns = <E, R>(chat: Layer.Layer<Chat, E, R>) =>
  Layer.effect(
    Chat,
    Effect.gen(function* () {
      const inner = yield* Chat
      const journal = yield* ChangeJournal.ChangeJournal
      return Chat.of({
        ...inner,
        send: (prompt) =>
          Stream.unwrap(Effect.as(journal.beginRun({ title: prompt.text, history: inner.history }), inner.send(prompt)))
      })
    })
  ).pipe(Layer.provide(chat))
