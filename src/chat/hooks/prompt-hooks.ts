/**
 * The hooks around the work on one prompt: before the model hears of it, and when the model has nothing more to do. A
 * refused answer goes back to the model with the reason, a bounded number of times.
 */
import { Effect, Ref } from "effect"
import type { HooksView } from "../../hooks/hooks.ts"
import type { Content, Part } from "../../protocol/content.ts"
import type { Emit } from "../attempt.ts"
import type { Conversation } from "../conversation.ts"
import { tellHalt } from "./run-halt.ts"

export interface PromptHooks {
  /** The first message as it is sent; `undefined` when a hook ended the work. */
  readonly begin: Effect.Effect<Content | undefined>
  /** The next message, where the answer was refused; `undefined` when all is said. */
  readonly end: (said: ReadonlyArray<string>) => Effect.Effect<Content | undefined>
}

export interface PromptHooksInput {
  readonly hooks: HooksView
  /** As the model gets it. */
  readonly parts: ReadonlyArray<Part>
  readonly emit: Emit
  readonly conversation: Pick<Conversation, "append" | "clear">
  /** A message that may be the first one of the conversation. */
  readonly first: (parts: ReadonlyArray<Part>) => Effect.Effect<Content>
}

/** A hook that is never content must not keep the model busy for ever. */
const MAX_REJECTIONS = 5

/** Stands for an answer without words. */
const NO_TEXT = "[no response text]"

export const makePromptHooks = Effect.fnUntraced(function* (input: PromptHooksInput) {
  const { conversation, emit, hooks } = input
  const rejections = yield* Ref.make(0)
  const prompt = textOf(input.parts)

  const begin = Effect.fnUntraced(function* (parts: ReadonlyArray<Part>, text: string) {
    const message = yield* input.first(parts)
    const start = yield* hooks.beforeAgent(text, emit)
    if (start._tag === "Halt") {
      // Who stops keeps the prompt, who refuses it does not.
      if (start.kind === "stopped") yield* conversation.append(message)
      yield* tellHalt(start, emit)
      return undefined
    }
    return start.context === undefined ? message : { ...message, parts: [...message.parts, { text: start.context }] }
  })

  const end = Effect.fnUntraced(function* (said: ReadonlyArray<string>) {
    const count = yield* Ref.get(rejections)
    const response = joined(said.filter((text) => text !== "")) ?? NO_TEXT
    const verdict = yield* hooks.afterAgent({ prompt, response, isRetry: count > 0 }, emit)
    if (verdict._tag === "Accepted") return undefined
    const { clearsContext: contextCleared, reason } = verdict
    if (verdict._tag === "Stopped") {
      if (contextCleared) yield* conversation.clear
      yield* tellHalt({ kind: "stopped", reason }, emit, { contextCleared })
      return undefined
    }
    if (count >= MAX_REJECTIONS) {
      const message = `AfterAgent hooks refused ${count} answers; the last one is kept although they refuse it as well: ${reason}`
      yield* emit({ _tag: "Notice", severity: "warning", message })
      return undefined
    }
    yield* Ref.set(rejections, count + 1)
    if (contextCleared) yield* conversation.clear
    yield* emit({ _tag: "TurnRestarted", reason: `a hook refused it: ${reason}` })
    return yield* begin([{ text: reason }], reason)
  })

  return { begin: begin(input.parts, prompt), end } satisfies PromptHooks
})

/** Nearly always there is one, which can be long: it is not copied. */
const joined = ([only, ...more]: ReadonlyArray<string>): string | undefined =>
  more.length === 0 ? only : [only, ...more].join("\n")

const textOf = (parts: ReadonlyArray<Part>): string => parts.flatMap(({ text }) => text ?? []).join("\n")
