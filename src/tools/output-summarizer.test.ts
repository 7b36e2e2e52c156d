/** Summaries of long shell output: asked for when it is long, and never at the price of the output. */
import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { it } from "../../test/kit/it.ts"
import { answer, scriptedModel } from "../../test/kit/web-room.ts"
import * as Secrets from "../config/secrets.ts"
import * as OutputSummarizer from "./output-summarizer.ts"

const summarize = (output: string, model: ReturnType<typeof scriptedModel>) =>
  Effect.flatMap(OutputSummarizer.OutputSummarizer, (summarizer) => summarizer.summarize(output)).pipe(
    Effect.provide(
      OutputSummarizer.layer({ tokenBudget: 100 }).pipe(
        Layer.provide(Layer.merge(model.layer, Secrets.layerOf([{ name: "TOKEN", value: "canary-123456" }])))
      )
    )
  )

const long = "line\n".repeat(100)

it.live("a long output is summarized within the budget", () =>
  Effect.gen(function* () {
    const model = scriptedModel([answer("short")])
    expect(yield* summarize(long, model)).toBe("short")
    expect(model.requests[0]).toMatchObject({
      model: "model-for-summarizer-shell",
      config: { alias: "summarizer-shell", maxOutputTokens: 100 },
      role: "utility_summarizer"
    })
    expect(model.requests[0]?.contents[0]?.parts[0]?.text).toContain(long)
  })
)

it.live("credentials do not reach the small model", () =>
  Effect.gen(function* () {
    const model = scriptedModel([answer("short")])
    yield* summarize(`${long}token=canary-123456\n`, model)
    const asked = JSON.stringify(model.requests)
    expect(asked).not.toContain("canary-123456")
    expect(asked).toContain("token=[REDACTED:TOKEN]")
  })
)

it.live("a short output is left alone", () =>
  Effect.gen(function* () {
    const model = scriptedModel([])
    expect(yield* summarize("line", model)).toBe("line")
    expect(model.requests).toEqual([])
  })
)

it.live("a summary that fails or is empty leaves the output as it is", () =>
  Effect.gen(function* () {
    expect(yield* summarize(long, scriptedModel([null]))).toBe(long)
    expect(yield* summarize(long, scriptedModel([answer(" ")]))).toBe(long)
  })
)
