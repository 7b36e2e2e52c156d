/**
 * The question what to do about a model that was given up, at the terminal. A second request that fails while the
 * question stands is not worth another one: it ends.
 */
import { Effect, Layer, Option } from "effect"
import { displayName } from "../model/model-features.ts"
import { type FallbackAnswer, type FallbackQuestion, FallbackQuestions } from "../model/routing/fallback-questions.ts"
import { tierOf } from "../retry/availability/policy-chain.ts"
import { describeModelError, resetText } from "../retry/describe.ts"
import type { ModelError } from "../retry/model-error.ts"
import { ask, type Choice } from "./ask.ts"
import type { LineEditor } from "./editor/line-editor.ts"
import type { Keyboard } from "./terminal/keyboard.ts"
import type { Screen } from "./terminal/screen.ts"

export const layer = Layer.effect(
  FallbackQuestions,
  Effect.gen(function* () {
    const terminal = yield* Effect.context<Screen | LineEditor | Keyboard>()
    const turn = yield* Effect.makeSemaphore(1)
    return FallbackQuestions.of({
      ask: (question) =>
        turn
          .withPermitsIfAvailable(1)(Effect.provide(askOne(question), terminal))
          .pipe(Effect.map(Option.getOrElse((): FallbackAnswer => "stop")))
    })
  })
)

const askOne = (question: FallbackQuestion) =>
  Effect.map(ask({ text: questionText(question), choices: choicesFor(question) }), (answer) =>
    Option.contains(answer, "switch") ? "switch" : Option.contains(answer, "again") ? "again" : "stop"
  )

export const choicesFor = ({ error, other }: FallbackQuestion): ReadonlyArray<Choice> => {
  const again = { value: "again", label: "Keep trying" }
  const stop = { value: "stop", label: "Stop" }
  if (other === undefined) return [again, stop]
  const change = { value: "switch", label: `Switch to ${displayName(other)}`, hint: "for the rest of this session" }
  // A quota does not come back, and a model does not appear, because it is asked for again.
  return error.kind === "quota" || error.kind === "not-found" ? [change, stop] : [again, change, stop]
}

export const questionText = ({ error, failed }: FallbackQuestion): string =>
  [describeModelError(error).message, sentences(whatHappened(error, failed), resetText(error)), adviceFor(error)]
    .filter((line) => line !== "")
    .join("\n")

const sentences = (...given: ReadonlyArray<string | undefined>): string =>
  given.filter((sentence) => sentence !== undefined).join(" ")

const whatHappened = (error: ModelError, failed: string): string => {
  const name = displayName(failed)
  switch (error.kind) {
    case "quota":
      return `The usage limit of ${name} is reached.`
    case "not-found":
      return describeModelError(error).hint ?? `${name} cannot be used.`
    case "capacity":
    case "rate-limited":
      return `There is high demand for ${tierOf(failed) === "pro" ? "all Pro models" : name} at the moment.`
    default:
      return `${name} does not answer.`
  }
}

const adviceFor = ({ kind }: ModelError): string => {
  if (kind === "quota") return "/stats model shows what was used, /model chooses another model."
  return kind === "not-found" ? "" : "/model chooses another model."
}
