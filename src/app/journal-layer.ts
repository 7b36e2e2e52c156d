/**
 * The journal by which runs are taken back, joined to the chat whose prompts are those runs. Its code is loaded at the
 * first call that may change a file.
 */
import { Effect, Layer, Stream } from "effect"
import { Chat } from "../chat/chat.ts"
import { redactSecrets } from "../kernel/redact-secrets.ts"
import * as ChangeJournal from "../session/undo/change-journal.ts"
import type { AppInput } from "./app.ts"
import type { ToolPlaces } from "./tool-places.ts"

export const journalLayer = ({ config, facts }: AppInput, places: ToolPlaces) =>
  config.settings.get("general.undo.enabled")
    ? ChangeJournal.layer(
        Effect.gen(function* () {
          const [{ makeRecorder }, { snapshotOptions }, { runSecrets }] = yield* Effect.promise(() =>
            Promise.all([
              import("../session/undo/recorder.ts"),
              import("../session/undo/undo-settings.ts"),
              import("./run-secrets.ts")
            ])
          )
          const secrets = runSecrets(config)
          return yield* makeRecorder({
            ...snapshotOptions(config, places.includeDirectories),
            session: Effect.succeed(facts.sessionId),
            clean: (text) => redactSecrets(text, secrets)
          })
        })
      )
    : ChangeJournal.layerNone

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
