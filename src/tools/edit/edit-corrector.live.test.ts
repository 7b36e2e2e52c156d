import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import * as Flow from "../../kernel/flow.ts"
import { ModelClient, type ModelRequest } from "../../model/model-client.ts"
import * as UtilityModels from "../../model/utility-models.ts"
import { PromptId } from "../../protocol/ids.ts"
import { ModelError } from "../../retry/model-error.ts"
import { layer } from "./edit-corrector.live.ts"
import { EditCorrector } from "./edit-corrector.ts"

const failed = { content: "file", search: "s", replacement: "r", instruction: "why", error: "not found" }

const build = Effect.fnUntraced(function* (answer: (request: ModelRequest) => Effect.Effect<string, ModelError>) {
  const requests: Array<ModelRequest> = []
  const client = Layer.succeed(ModelClient, {
    stream: () => Flow.empty,
    generate: (request) => {
      requests.push(request)
      return Effect.map(answer(request), (text) => ({ candidates: [{ content: { parts: [{ text }] } }] }))
    },
    countTokens: () => Effect.succeed(0),
    embed: () => Effect.succeed([])
  })
  const utility = UtilityModels.layer((alias) => ({ model: alias, config: { temperature: 0 } }), PromptId.make("p"))
  const service = yield* Effect.provide(EditCorrector, Layer.provide(layer, [client, utility]))
  return { requests, service }
})

describe("the corrector that asks a model", () => {
  it.effect("asks once with a schema and keeps the answer", () =>
    Effect.gen(function* () {
      const { requests, service } = yield* build(() =>
        Effect.succeed('```json\n{"search":"a","replace":"b","explanation":"quotes"}\n```')
      )
      const fix = { search: "a", replacement: "b", explanation: "quotes", noChangesRequired: false }
      expect(yield* service.fixEdit(failed)).toEqual(fix)
      expect(yield* service.fixEdit(failed)).toEqual(fix)
      expect(requests).toHaveLength(1)
      expect(requests[0]).toMatchObject({
        model: "llm-edit-fixer",
        role: "utility_edit_corrector",
        config: { temperature: 0, responseMimeType: "application/json" }
      })
    })
  )

  it.effect("has nothing to offer when the model fails, is late or talks nonsense", () =>
    Effect.gen(function* () {
      const error = new ModelError({ kind: "unavailable", detail: "busy", phase: "open", errorType: "503" })
      expect(
        yield* Effect.flatMap(
          build(() => error),
          ({ service }) => service.fixEdit(failed)
        )
      ).toBeNull()
      expect(
        yield* Effect.flatMap(
          build(() => Effect.succeed("hm")),
          ({ service }) => service.fixEdit(failed)
        )
      ).toBeNull()
      const { service } = yield* build(() => Effect.never)
      const fiber = yield* Effect.fork(service.fixEdit(failed))
      yield* TestClock.adjust("41 seconds")
      expect(yield* Fiber.join(fiber)).toBeNull()
    })
  )

  it.effect("asks about escapes only where some look doubled, and keeps the text on failure", () =>
    Effect.gen(function* () {
      const { requests, service } = yield* build(() => Effect.succeed('{"corrected_string_escaping":"fixed"}'))
      expect(yield* service.fixEscaping("plain text")).toBe("plain text")
      expect(requests).toHaveLength(0)
      expect(yield* service.fixEscaping("a\\nb")).toBe("fixed")
      const silent = yield* build(() => Effect.succeed("{}"))
      expect(yield* silent.service.fixEscaping("a\\nb")).toBe("a\\nb")
    })
  )
})
