import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer, Schema, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import * as Flow from "../kernel/flow.ts"
import { userText } from "../protocol/content.ts"
import { PromptId } from "../protocol/ids.ts"
import { ModelError } from "../retry/model-error.ts"
import { type ModelChunk, ModelClient, type ModelRequest } from "./model-client.ts"
import { askJson, askText, type JsonQuestion } from "./utility-call.ts"
import * as UtilityModels from "./utility-models.ts"

const Verdict = Schema.Struct({ verdict: Schema.Boolean })
const question: JsonQuestion<typeof Verdict.Type, typeof Verdict.Encoded> = {
  alias: "loop-detection",
  contents: [userText("?")],
  system: "judge",
  role: "utility_loop_detector",
  schema: Verdict,
  jsonSchema: { type: "object" }
}
const usage = {
  promptTokenCount: 7,
  candidatesTokenCount: 1,
  totalTokenCount: 8,
  cachedContentTokenCount: 0,
  thoughtsTokenCount: 0,
  toolUsePromptTokenCount: 0
}
const busy = new ModelError({ kind: "unavailable", detail: "busy", phase: "open", errorType: "503" })

type Answer = string | ModelError | "never"

/** Asks with these answers in turn; the clock is moved until the question has ended. */
const ask = <A, E>(
  effect: Effect.Effect<A, E, ModelClient | UtilityModels.UtilityModels>,
  answers: ReadonlyArray<Answer>
) =>
  Effect.gen(function* () {
    const requests: Array<ModelRequest> = []
    const reports: Array<UtilityModels.RequestReport> = []
    const client = Layer.succeed(ModelClient, {
      stream: () => Flow.empty,
      generate: (request) => {
        const answer = answers[requests.push(request) - 1] ?? ""
        if (answer instanceof ModelError) return Effect.fail(answer)
        if (answer === "never") return Effect.never
        const chunk: ModelChunk = { candidates: [{ content: { parts: [{ text: answer }] } }], usageMetadata: usage }
        return Effect.succeed(chunk)
      },
      countTokens: () => Effect.die("not used"),
      embed: () => Effect.die("not used")
    })
    const models = UtilityModels.layer(
      (alias) => ({ model: `model-of-${alias}`, config: { temperature: 0 } }),
      PromptId.make("p")
    )
    const fiber = yield* Effect.gen(function* () {
      const utility = yield* UtilityModels.UtilityModels
      yield* utility.enter({
        promptId: PromptId.make("p1"),
        report: (event) => Effect.sync(() => void reports.push(event))
      })
      return yield* effect
    }).pipe(Effect.provide(Layer.merge(client, models)), Effect.either, Effect.fork)
    yield* TestClock.adjust("5 minutes")
    return { requests, reports, result: yield* Fiber.join(fiber) }
  })

describe("JSON answers", () => {
  it.effect("are asked for with a schema, checked, and counted under their role", () =>
    Effect.gen(function* () {
      const { reports, requests, result } = yield* ask(askJson(question), ['```json\n{"verdict":true}\n```'])
      expect(result).toMatchObject({ _tag: "Right", right: { verdict: true } })
      expect(requests).toEqual([
        {
          model: "model-of-loop-detection",
          contents: question.contents,
          systemInstruction: "judge",
          config: { temperature: 0, responseMimeType: "application/json", responseJsonSchema: { type: "object" } },
          role: "utility_loop_detector",
          promptId: PromptId.make("p1")
        }
      ])
      expect(reports).toEqual([
        {
          _tag: "RequestFinished",
          model: "model-of-loop-detection",
          role: "utility_loop_detector",
          durationMs: 0,
          usage
        }
      ])
    })
  )

  it.effect("are asked for again when they are empty or of another form", () =>
    Effect.gen(function* () {
      const { reports, result } = yield* ask(askJson(question), ["", "hm", '{"verdict":1}', '{"verdict":false}'])
      expect(result).toMatchObject({ _tag: "Right", right: { verdict: false } })
      expect(reports).toHaveLength(4)
    })
  )

  it.effect("are given up after five attempts, or as many as the caller says", () =>
    Effect.gen(function* () {
      const five = yield* ask(askJson(question), [])
      expect(five.requests).toHaveLength(5)
      expect(five.result).toMatchObject({ _tag: "Left", left: { _tag: "UtilityError", kind: "empty" } })
      const one = yield* ask(askJson({ ...question, attempts: 1 }), ["nonsense"])
      expect(one.requests).toHaveLength(1)
      expect(one.result).toMatchObject({ _tag: "Left", left: { kind: "unparsable" } })
    })
  )

  it.effect("are not asked for again here when the request failed", () =>
    Effect.gen(function* () {
      const { reports, requests, result } = yield* ask(askJson(question), [busy])
      expect(requests).toHaveLength(1)
      expect(result).toMatchObject({ _tag: "Left", left: { kind: "model", cause: { kind: "unavailable" } } })
      expect(reports).toMatchObject([{ _tag: "RequestFailed", errorType: "503", role: "utility_loop_detector" }])
    })
  )

  it.effect("are waited for a bounded time", () =>
    Effect.gen(function* () {
      const { result } = yield* ask(askJson(question), ["never"])
      expect(result).toMatchObject({ _tag: "Left", left: { kind: "timeout", detail: "no answer within 1m" } })
    })
  )
})

it.effect("text may be empty: the caller decides what that means", () =>
  Effect.gen(function* () {
    const { requests, result } = yield* ask(askText(question), [""])
    expect(result).toMatchObject({ _tag: "Right", right: "" })
    expect(requests[0]?.config).toEqual({ temperature: 0 })
  })
)
