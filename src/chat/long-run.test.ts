/**
 * Hours of work in virtual time: thousands of turns with faults thrown in at random. The run ends with the right answer or
 * says truthfully why not, and its last turns are no heavier than its first ones.
 */
import { expect } from "bun:test"
import { Effect, Fiber, Option, TestClock } from "effect"
import {
  broken,
  callChunk,
  chatOptions,
  chatRoom,
  chunk,
  partsChunk,
  type Reply,
  type Script,
  send
} from "../../test/kit/chat-room.ts"
import { violationOf } from "../../test/kit/history-rules.ts"
import { it } from "../../test/kit/it.ts"
import { tempFolder } from "../../test/kit/temp-folder.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { ModelError } from "../retry/model-error.ts"
import type { ChatOptions } from "./chat-options.ts"
import { estimateContents } from "./token-estimate.ts"

const TURNS = 2000
/** Far above what it takes on a busy machine. */
const PATIENCE_MS = 180_000

/** Numbers between 0 and 1, the same ones in every run of the test. */
const dice = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const busy = new ModelError({ kind: "unavailable", detail: "busy", phase: "open", errorType: "503" })

/** A task of many steps. A fault makes the step be asked for again; a step that was done is never asked for twice. */
const longTask = (options: { readonly steps: number; readonly fatalAt?: number }): Script => {
  const roll = dice(7)
  let step = 0
  const stream = (request: Parameters<Script["stream"]>[0]): Reply => {
    const luck = roll()
    if (step === options.fatalAt) return [busy]
    if (luck < 0.03) return [broken("body")]
    if (luck < 0.05) return [partsChunk([{ text: "hm", thought: true }], "STOP")]
    if (luck < 0.06) return [chunk("", "MALFORMED_FUNCTION_CALL")]
    const tokens = estimateContents(request.contents)
    return step < options.steps ? [callChunk("work", { step: step++ }, tokens)] : [chunk("The answer is 42.", "STOP")]
  }
  return {
    stream,
    generate: ({ role }) => {
      const luck = roll()
      if (luck < 0.2) return Effect.fail(busy)
      if (luck < 0.3) return Effect.succeed(chunk("", "STOP"))
      return Effect.succeed(
        role === "utility_compressor"
          ? chunk(`<state_snapshot>${"a fact; ".repeat(100)}</state_snapshot>`, "STOP")
          : chunk('{"unproductive_state_analysis":"works","unproductive_state_confidence":0.1}', "STOP")
      )
    },
    tool: ({ args }) =>
      Effect.as(
        Effect.sleep("2 seconds"),
        roll() < 0.1 ? { error: "failed" } : { output: `${args.step} `.repeat(2000) }
      )
  }
}

const run = (script: Script, changed: Partial<ChatOptions> = {}) =>
  Effect.gen(function* () {
    const outputDir = yield* tempFolder()
    const events: Array<ProtocolEvent> = []
    const room = { ...chatOptions.room, outputDir, compressionThreshold: 0.1 }
    const { layer, questions, requests } = chatRoom(script, { room, restartable: true, ...changed })
    const fiber = yield* send("do it", events).pipe(Effect.provide(layer), Effect.either, Effect.fork)
    let result = yield* Fiber.poll(fiber)
    while (Option.isNone(result)) {
      yield* TestClock.adjust("1 hour")
      result = yield* Fiber.poll(fiber)
    }
    return { requests, questions, events, result: yield* Fiber.join(fiber) }
  })

it.effect(
  "thousands of turns with faults end with the right answer, and no turn outgrows the others",
  () =>
    Effect.gen(function* () {
      const { events, questions, requests, result } = yield* run(longTask({ steps: TURNS }))
      expect(result._tag).toBe("Right")
      expect(events.findLast((event) => event._tag === "Text")).toMatchObject({ text: "The answer is 42." })
      const steps = events.flatMap((event) => (event._tag === "ToolRequested" ? [event.args.step] : []))
      expect(steps).toEqual(Array.from({ length: TURNS }, (_, step) => step))

      const compressions = events.filter((event) => event._tag === "ChatCompressed")
      expect(compressions.length).toBeGreaterThan(2)
      const sizes = requests.map(({ contents }) => estimateContents(contents))
      const heaviest = (from: number, to: number) => Math.max(...sizes.slice(from, to))
      expect(heaviest(requests.length / 2, requests.length)).toBeLessThan(1.2 * heaviest(0, requests.length / 2))
      // Utility requests are a fraction of the turns, also when some of them fail.
      expect(questions.length).toBeLessThan(TURNS / 4)
      for (const request of requests.slice(-300)) expect(violationOf(request, { signatures: true })).toBeUndefined()
    }),
  PATIENCE_MS
)

it.effect("a fault that stays is told for what it is", () =>
  Effect.gen(function* () {
    const { events, result } = yield* run(longTask({ steps: TURNS, fatalAt: 200 }))
    expect(result).toMatchObject({ _tag: "Left", left: { _tag: "ModelError", kind: "unavailable" } })
    expect(events.filter((event) => event._tag === "ToolFinished")).toHaveLength(200)
  })
)

it.effect("work without an end meets the limit that every prompt has", () =>
  Effect.gen(function* () {
    const limit = { value: 120, source: "model.maxPromptTurns" }
    const { requests, result } = yield* run(longTask({ steps: TURNS }), {
      maxTurns: { session: undefined, prompt: limit }
    })
    expect(result).toMatchObject({
      _tag: "Left",
      left: { _tag: "LimitReached", limit: "turns", value: "120", source: "model.maxPromptTurns" }
    })
    expect(requests.length).toBeGreaterThanOrEqual(120)
  })
)
