/**
 * Whether the model should go on by itself after an answer without calls: it announced a step and did not take it, or was
 * cut off. Off by default; a question that fails counts as "no".
 */
import { Effect, Schema } from "effect"
import { askJson } from "../model/utility-call.ts"
import { type Content, userText } from "../protocol/content.ts"
import type { PromptId } from "../protocol/ids.ts"
import { Telemetry } from "../telemetry/telemetry.ts"
import { isFunctionResponse, requestContents } from "./request-contents.ts"

export type Speaker = "user" | "model"

/** The answer after which the question comes up. */
export interface LastAnswer {
  readonly promptId: PromptId
  readonly finishReason: string | undefined
}

export const nextSpeaker = Effect.fn("Chat.nextSpeaker")(function* (history: ReadonlyArray<Content>, last: LastAnswer) {
  const known = knownSpeaker(history)
  if (known !== undefined) return known
  const result = yield* askJson({
    alias: "next-speaker-checker",
    contents: requestContents([...history, userText(QUESTION)]),
    role: "utility_next_speaker",
    schema: Answer,
    jsonSchema: ANSWER_SHAPE,
    timeout: TIMEOUT
  }).pipe(
    Effect.map((answer): Speaker => answer.next_speaker),
    Effect.orElseSucceed((): Speaker => "user")
  )
  yield* (yield* Telemetry).log({
    name: "gemini_cli.next_speaker_check",
    body: `Next speaker check. Result: ${result}.`,
    attributes: { prompt_id: last.promptId, finish_reason: last.finishReason, result }
  })
  return result
})

/** What needs no question. */
export const knownSpeaker = (history: ReadonlyArray<Content>): Speaker | undefined => {
  const last = history.at(-1)
  if (last === undefined) return "user"
  if (isFunctionResponse(last)) return "model"
  if (last.role !== "model") return "user"
  return last.parts.length === 0 ? "model" : undefined
}

/** Sent in the user's place when the model is to go on. */
export const GO_ON: Content = userText("Please go on.")

const TIMEOUT = "30 seconds"

const QUESTION = `Look only at your last answer above, and decide who should speak next. Take the first rule that fits:
1. Model: the answer says what you will do right now ("Next I will...", "Let me...") without having done it, or it is visibly cut off.
2. User: the answer ends with a question to the user.
3. User: in every other case; the answer is complete and waits for the user.`

const Answer = Schema.Struct({ reasoning: Schema.String, next_speaker: Schema.Literal("user", "model") })

const ANSWER_SHAPE = {
  type: "object",
  properties: {
    reasoning: { type: "string", description: "Which rule fits, and why." },
    next_speaker: { type: "string", enum: ["user", "model"], description: "Who should speak next." }
  },
  required: ["reasoning", "next_speaker"]
}
