/**
 * The state of a conversation: its history, and what was learnt while making room for it. Everything that changes the
 * history goes through here, and is recorded here.
 */
import { Effect, Ref } from "effect"
import type { ModelClient } from "../model/model-client.ts"
import type { UtilityModels } from "../model/utility-models.ts"
import type { Content } from "../protocol/content.ts"
import type { HistoryChange } from "../protocol/run-readers.ts"
import { callIdsIn } from "./call-id.ts"
import { answered, appended, emptyHistory, type History, historyOf, settled } from "./history.ts"
import {
  type CompressionReport,
  compressNow,
  makeRoom,
  noAttempts,
  type Room,
  type RoomOptions,
  type RoomRequest
} from "./history-compaction.ts"
import { RequestBuilder } from "./request-contents.ts"

export interface Conversation {
  readonly history: Effect.Effect<History>
  readonly update: (change: (before: History) => History) => Effect.Effect<void>
  readonly append: (...contents: ReadonlyArray<Content>) => Effect.Effect<void>
  /** The model's answer, and the size of the request as the service counted it. */
  readonly answer: (content: Content | undefined, promptTokens: number) => Effect.Effect<void>
  /** Ready for a message of the user, whatever ended the work before. */
  readonly settle: Effect.Effect<void>
  /** Another conversation takes its place; nothing that was learnt about this one is kept. */
  readonly replace: (contents: ReadonlyArray<Content>) => Effect.Effect<void>
  /** The model forgets what was said; the record says so. */
  readonly clear: Effect.Effect<void>
  /** Compresses and masks where that is due; the history from here on. */
  readonly makeRoom: (request: RoomRequest) => Effect.Effect<History, never, ModelClient | UtilityModels>
  /** At once; `force`: also where an earlier snapshot came out larger than what it stood for. */
  readonly compress: (
    request: RoomRequest & { readonly force: boolean }
  ) => Effect.Effect<CompressionReport, never, ModelClient | UtilityModels>
  /** As the API takes it. */
  readonly requestContents: Effect.Effect<ReadonlyArray<Content>>
  /** A call has this id: of this conversation, or of one that it took the place of. */
  readonly hasCall: (callId: string) => boolean
}

export const makeConversation = Effect.fnUntraced(function* (
  options: RoomOptions,
  record: (change: HistoryChange) => Effect.Effect<void>
) {
  const room = yield* Ref.make<Room>({ history: emptyHistory, memory: noAttempts })
  const builder = yield* Ref.make(new RequestBuilder())
  const callIds = new Set<string>()

  const history = Effect.map(Ref.get(room), (now) => now.history)
  const update = (change: (before: History) => History) =>
    Ref.update(room, (now) => ({ ...now, history: change(now.history) }))

  const noteCalls = (contents: ReadonlyArray<Content>) =>
    Effect.sync(() => {
      for (const id of contents.flatMap(callIdsIn)) callIds.add(id)
    })
  const recordAll = (contents: ReadonlyArray<Content>) =>
    Effect.flatMap(history, ({ contents: all }) =>
      Effect.forEach(contents, (content) => record({ _tag: "Added", content, all }), { discard: true })
    )
  const append = (...contents: ReadonlyArray<Content>) =>
    Effect.zipRight(
      update((before) => appended(before, ...contents)),
      recordAll(contents)
    )
  const setRoom = Effect.fnUntraced(function* (made: Room) {
    const before = yield* Ref.getAndSet(room, made)
    const { contents } = made.history
    if (contents !== before.history.contents) yield* record({ _tag: "Shortened", contents })
  })

  return {
    history,
    update,
    append,
    answer: Effect.fnUntraced(function* (content, promptTokens) {
      const added = content === undefined ? [] : [content]
      yield* noteCalls(added)
      yield* update((now) => answered(now, content, promptTokens))
      yield* recordAll(added)
    }),
    settle: Effect.flatMap(history, (now) => append(...settled(now).contents.slice(now.contents.length))),
    replace: Effect.fnUntraced(function* (contents) {
      yield* noteCalls(contents)
      yield* Ref.set(room, { history: historyOf(contents), memory: noAttempts })
      yield* Ref.set(builder, new RequestBuilder())
    }),
    clear: setRoom({ history: emptyHistory, memory: noAttempts }),
    makeRoom: Effect.fnUntraced(function* (request) {
      const made = yield* makeRoom(yield* Ref.get(room), request, options)
      yield* setRoom(made)
      return made.history
    }),
    compress: Effect.fnUntraced(function* (request) {
      const { report, room: made } = yield* compressNow(yield* Ref.get(room), request, options)
      yield* setRoom(made)
      return report
    }),
    requestContents: Effect.zipWith(history, Ref.get(builder), ({ contents }, requests) => requests.build(contents)),
    hasCall: (callId) => callIds.has(callId)
  } satisfies Conversation
})
