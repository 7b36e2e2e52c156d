/** Diffs that are open in the editor: shown, answered there by notifications, and taken away when somebody else decided. */
import { Deferred, Duration, Effect, Option, Predicate, Schema } from "effect"
import type { CompanionLink, CompanionView, DiffAnswer, OpenDiff, ProposedEdit } from "./ide-companion.ts"

export interface DiffDesk {
  readonly open: CompanionView["openDiff"]
  /** A notification; those about no open diff are passed over. */
  readonly hear: (method: string, params: unknown) => Effect.Effect<void>
  readonly closeAll: Effect.Effect<void>
}

interface DeskOptions {
  readonly link: Effect.Effect<CompanionLink | undefined>
  readonly closeWithin: Duration.Duration
}

/** For the tool call that opens a diff; the person behind it has as long as they want. */
const OPENED_WITHIN = Duration.minutes(10)

const Accepted = Schema.Struct({ filePath: Schema.String, content: Schema.String })
const Rejected = Schema.Struct({ filePath: Schema.String })

export const makeDiffDesk = ({ closeWithin, link }: DeskOptions) =>
  Effect.sync((): DiffDesk => {
    const open = new Map<string, Deferred.Deferred<DiffAnswer>>()

    const answer = (filePath: string, given: DiffAnswer) =>
      Effect.suspend(() => {
        const waiting = open.get(filePath)
        open.delete(filePath)
        return waiting === undefined ? Effect.void : Deferred.succeed(waiting, given)
      })

    const close = Effect.fnUntraced(function* (filePath: string) {
      // What was answered in the editor is closed already.
      if (!open.delete(filePath)) return undefined
      const now = yield* link
      if (now === undefined) return undefined
      const said = yield* now
        .call("closeDiff", { filePath, suppressNotification: true }, closeWithin)
        .pipe(Effect.interruptible, Effect.timeout(closeWithin), Effect.option)
      return Option.isSome(said) ? contentIn(said.value) : undefined
    })

    const openDiff = Effect.fnUntraced(function* ({ filePath, newContent }: ProposedEdit) {
      const now = yield* link
      if (now?.showsDiffs !== true) return undefined
      const waiting = yield* Deferred.make<DiffAnswer>()
      yield* Effect.acquireRelease(
        Effect.sync(() => open.set(filePath, waiting)),
        () => close(filePath)
      )
      // An editor that cannot show it leaves the question to whoever else is asked.
      yield* Effect.forkScoped(Effect.ignore(now.call("openDiff", { filePath, newContent }, OPENED_WITHIN)))
      return { answer: Deferred.await(waiting), close: close(filePath) } satisfies OpenDiff as OpenDiff
    })

    return {
      open: openDiff,
      closeAll: Effect.suspend(() => Effect.forEach([...open.keys()], close, { discard: true, concurrency: 4 })),
      hear: (method, params) => {
        switch (method) {
          case "ide/diffAccepted": {
            const said = Schema.decodeUnknownOption(Accepted)(params)
            return Option.isNone(said)
              ? Effect.void
              : answer(said.value.filePath, { _tag: "Accepted", content: said.value.content })
          }
          case "ide/diffRejected":
          case "ide/diffClosed": {
            const said = Schema.decodeUnknownOption(Rejected)(params)
            return Option.isNone(said) ? Effect.void : answer(said.value.filePath, { _tag: "Rejected" })
          }
          default:
            return Effect.void
        }
      }
    }
  })

const Closed = Schema.parseJson(Schema.Struct({ content: Schema.String }))

/** The text result of `closeDiff` holds what the person made of the diff, where the editor says. */
const contentIn = (result: unknown): string | undefined => {
  if (!Predicate.hasProperty(result, "content") || !Array.isArray(result.content)) return undefined
  const texts: ReadonlyArray<unknown> = result.content.map((part: unknown) =>
    Predicate.hasProperty(part, "text") ? part.text : undefined
  )
  return texts.flatMap((text) => Option.toArray(Schema.decodeUnknownOption(Closed)(text)))[0]?.content
}
