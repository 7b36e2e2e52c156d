/**
 * The state of a conversation: its history, and what was learnt while making room for it. Everything that changes the
 * history goes through here.
 */
import { Effect, Ref } from "effect"
import type { ModelClient } from "../model/model-client.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import type { Content } from "../protocol/content.ts"
import { noAttempts } from "./compression/compression-trigger.ts"
import { appended, emptyHistory, type History, historyOf } from "./history.ts"
import {
  type CompressionReport,
  compressNow,
  makeRoom,
  type Room,
  type RoomOptions,
  type RoomRequest
} from "./make-room.ts"
import { RequestMemory, requestContents } from "./request-contents.ts"

export interface Conversation {
  readonly history: Effect.Effect<History>
  readonly update: (change: (before: History) => History) => Effect.Effect<void>
  readonly append: (...contents: ReadonlyArray<Content>) => Effect.Effect<void>
  /** Another conversation takes its place; nothing that was learnt about this one is kept. */
  readonly replace: (contents: ReadonlyArray<Content>) => Effect.Effect<void>
  /** Compresses and masks where that is due; the history from here on. */
  readonly makeRoom: (request: RoomRequest) => Effect.Effect<History, never, ModelClient | UtilityModels>
  /** At once; `force`: also where an earlier snapshot came out larger than what it stood for. */
  readonly compress: (
    request: RoomRequest & { readonly force: boolean }
  ) => Effect.Effect<CompressionReport, never, ModelClient | UtilityModels>
  /** As the API takes it. */
  readonly requestContents: Effect.Effect<ReadonlyArray<Content>>
}

export const makeConversation = Effect.fnUntraced(function* (options: RoomOptions) {
  const room = yield* Ref.make<Room>({ history: emptyHistory, memory: noAttempts })
  const memory = yield* Ref.make(new RequestMemory())

  const history = Effect.map(Ref.get(room), (now) => now.history)
  const update = (change: (before: History) => History) =>
    Ref.update(room, (now) => ({ ...now, history: change(now.history) }))

  return {
    history,
    update,
    append: (...contents) => update((before) => appended(before, ...contents)),
    replace: (contents) =>
      Effect.zipRight(
        Ref.set(room, { history: historyOf(contents), memory: noAttempts }),
        Ref.set(memory, new RequestMemory())
      ),
    makeRoom: Effect.fnUntraced(function* (request) {
      const made = yield* makeRoom(yield* Ref.get(room), request, options)
      yield* Ref.set(room, made)
      return made.history
    }),
    compress: Effect.fnUntraced(function* (request) {
      const { report, room: made } = yield* compressNow(yield* Ref.get(room), request, options)
      yield* Ref.set(room, made)
      return report
    }),
    requestContents: Effect.zipWith(history, Ref.get(memory), ({ contents }, known) => requestContents(contents, known))
  } satisfies Conversation
})
