/**
 * What of the editor's state goes before a prompt. Changes are told only while the model still has what they build on:
 * after a new start, compression, rewinding or a prompt that was taken back, everything is told again.
 */
import { Effect, Ref } from "effect"
import type { Content, Part } from "../protocol/content.ts"
import { changeText, type EditorContext, wholeText } from "./editor-context.ts"

/** The parts that come before the words of the prompt; the history is the one that they will be added to. */
export type ContextNews = (history: ReadonlyArray<Content>) => Effect.Effect<ReadonlyArray<Part>>

interface Told {
  readonly context: EditorContext
  /** The oldest is the whole state, the others are changes. */
  readonly texts: ReadonlyArray<string>
}

/** `None`: no editor, or it has not said anything. */
export const makeContextNews = (current: Effect.Effect<EditorContext | undefined>): Effect.Effect<ContextNews> =>
  Effect.map(Ref.make<Told | undefined>(undefined), (told) =>
    Effect.fnUntraced(function* (history) {
      const now = yield* current
      if (now === undefined) {
        yield* Ref.set(told, undefined)
        return []
      }
      const before = yield* Ref.get(told)
      const isKnown = before !== undefined && isStillThere(before, history)
      const text = isKnown ? changeText(before.context, now) : wholeText(now)
      if (text === undefined) return []
      yield* Ref.set(told, { context: now, texts: isKnown ? [...before.texts, text] : [text] })
      return [{ text }]
    })
  )

/** Compression takes from the beginning, rewinding from the end. */
const isStillThere = ({ texts }: Told, history: ReadonlyArray<Content>): boolean =>
  [texts[0], texts.at(-1)].every((text) => history.some(({ parts }) => parts.some((part) => part.text === text)))
