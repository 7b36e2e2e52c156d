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
    Option.getOrElse(Option.filter(answer, isAnswer), (): FallbackAnswer => "stop")
  )

const ANSWERS: ReadonlyArray<string> = ["switch", "again", "pay", "page"] satisfies ReadonlyArray<FallbackAnswer>
const isAnswer = (text: string): text is FallbackAnswer => ANSWERS.includes(text)

export const choicesFor = ({ credits, error, other }: FallbackQuestion): ReadonlyArray<Choice> => {
  const again = { value: "again", label: "Keep trying" }
  const stop = { value: "stop", label: "Stop" }
  const change =
    other === undefined
      ? []
      : [{ value: "switch", label: `Switch to ${displayName(other)}`, hint: "for the rest of this session" }]
  if (credits?.isEnough === true) {
    const pay = {
      value: "pay",
      label: "Use credits",
      hint: `${credits.balance} are left; for the rest of this session`
    }
    return [pay, ...change, { value: "page", label: "Manage credits", hint: "in the browser" }, stop]
  }
  if (credits !== undefined) return [{ value: "page", label: "Get credits", hint: "in the browser" }, ...change, stop]
  if (other === undefined) return [again, stop]
  // A quota does not come back, and a model does not appear, because it is asked for again.
  return error.kind === "quota" || error.kind === "not-found" ? [...change, stop] : [again, ...change, stop]
}

export const questionText = ({ credits, error, failed }: FallbackQuestion): string =>
  [
    describeModelError(error).message,
    sentences(whatHappened(error, failed), resetText(error)),
    credits === undefined || credits.isEnough
      ? ""
      : `Paid credits could be used, but only ${credits.balance} are left.`,
    adviceFor(error)
  ]
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
