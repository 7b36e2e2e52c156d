/** Whatever stands in the events of a run, a terminal is made to do nothing by it. */
import { describe, expect } from "bun:test"
import { Effect, FastCheck as fc, Layer, TestClock } from "effect"
import { hostileEvent } from "../../test/kit/hostile-events.ts"
import { actsIn, hostileText } from "../../test/kit/hostile-text.ts"
import { it } from "../../test/kit/it.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { CallId, SessionId } from "../protocol/ids.ts"
import { ExtraEvent } from "../protocol/modes.ts"
import type { RunOutcome } from "../protocol/outcome.ts"
import * as JsonWriter from "./json-writer.ts"
import { withProgress } from "./progress.ts"
import { RunWriter } from "./run-writer.ts"
import * as Stderr from "./stderr.ts"
import * as Stdout from "./stdout.ts"
import * as StreamJsonWriter from "./stream-json-writer.ts"
import * as TextWriter from "./text-writer.ts"
import { withToldSteps } from "./told-steps.ts"

const options = { sessionId: SessionId.make("s"), model: "m", extraEvents: ExtraEvent.literals, raw: false }
const WRITERS = {
  text: TextWriter.layer(options),
  verbose: withToldSteps(TextWriter.layer(options)),
  json: JsonWriter.layer({ ...options, sharesScreen: false }),
  "stream-json": StreamJsonWriter.layer(options)
}

const told = (
  writer: Layer.Layer<RunWriter, never, Stdout.Stdout | Stderr.Stderr>,
  events: ReadonlyArray<ProtocolEvent>,
  outcome: RunOutcome
) =>
  Effect.gen(function* () {
    const out: Array<string> = []
    const err: Array<string> = []
    const streams = Layer.merge(Stdout.layerMemory(out, { isTerminal: true }), Stderr.layerMemory(err))
    yield* Effect.gen(function* () {
      const target = yield* RunWriter
      for (const [index, event] of events.entries()) {
        yield* target.onEvent(event)
        // Long enough for the status line to show.
        if (index % STATUS_EVERY === 0) yield* TestClock.adjust("1 second")
      }
      yield* target.finish(outcome)
    }).pipe(Effect.provide(Layer.provide(withProgress(writer, { sharesScreen: true }), streams)))
    return { out: out.join(""), err: err.join("") }
  })

const STATUS_EVERY = 40

const outcomeWith = (message: string): RunOutcome => ({
  completionReason: "api",
  exitCode: 1,
  failure: { type: "Error", message, hint: message, help: "unavailable" }
})

const events = fc.sample(hostileEvent, 250)

describe.each(["text", "json", "stream-json"] as const)("%s", (format) => {
  it.effect("makes a terminal do nothing", () =>
    Effect.gen(function* () {
      const { err, out } = yield* told(WRITERS[format], events, outcomeWith(fc.sample(hostileText, 20).join(" ")))
      expect(actsIn(out)).toEqual([])
      expect(actsIn(err)).toEqual([])
      expect(err).toContain("[WARNING]")
    })
  )
})

it.effect("what stands in json means what it meant", () =>
  Effect.gen(function* () {
    const texts = fc.sample(hostileText, 200)
    const requested = texts.map(
      (text): ProtocolEvent => ({ _tag: "ToolRequested", callId: CallId.make("c"), name: text, args: { text } })
    )
    const { out } = yield* told(WRITERS["stream-json"], requested, outcomeWith("x"))
    const lines = out.split("\n").filter((line) => line.includes('"tool_use"'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      texts.map((text) => ({ tool_name: text, parameters: { text } }))
    )
  })
)
