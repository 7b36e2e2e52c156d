/** One run, told to each of the three writers. */
import { describe, expect } from "bun:test"
import { Effect, Layer, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import type { ProtocolEvent } from "../protocol/event.ts"
import { CallId, PromptId, SessionId } from "../protocol/ids.ts"
import { ExtraEvent } from "../protocol/modes.ts"
import { type RunOutcome, succeeded } from "../protocol/outcome.ts"
import * as JsonWriter from "./json-writer.ts"
import { RunWriter } from "./run-writer.ts"
import * as Stderr from "./stderr.ts"
import * as Stdout from "./stdout.ts"
import * as StreamJsonWriter from "./stream-json-writer.ts"
import * as TextWriter from "./text-writer.ts"

const sessionId = SessionId.make("s-1")
const callId = CallId.make("ls__1")
const options = { sessionId, model: "auto", extraEvents: [], raw: false }

const failed: RunOutcome = {
  completionReason: "api",
  exitCode: 1,
  failure: { type: "Error", message: "it broke", hint: "Try again.", help: "unavailable", code: 503, status: 503 }
}

const run: ReadonlyArray<ProtocolEvent> = [
  { _tag: "RunStarted", sessionId, model: "auto", trust: "trusted" },
  { _tag: "UserMessage", promptId: PromptId.make("p"), text: "hi" },
  { _tag: "Thought", subject: "s", description: "d" },
  { _tag: "Text", text: "Let me \u001b[1" },
  { _tag: "Text", text: "mlook" },
  { _tag: "ToolRequested", callId, name: "ls", args: { a: 1 } },
  {
    _tag: "ToolFinished",
    callId,
    name: "ls",
    status: "error",
    output: "no",
    error: { type: "tool_not_registered", message: "no such tool" },
    durationMs: 1
  },
  { _tag: "Text", text: "Done." },
  { _tag: "Notice", severity: "warning", message: "careful" }
]

type WriterLayer = Layer.Layer<RunWriter, never, Stdout.Stdout | Stderr.Stderr>

const written = (writer: WriterLayer, events: ReadonlyArray<ProtocolEvent>, outcome: RunOutcome) =>
  Effect.gen(function* () {
    const out: Array<string> = []
    const err: Array<string> = []
    yield* Effect.gen(function* () {
      const target = yield* RunWriter
      yield* Effect.forEach(events, target.onEvent, { discard: true })
      yield* TestClock.adjust("2 seconds")
      yield* target.finish(outcome)
    }).pipe(Effect.provide(writer.pipe(Layer.provide(Layer.merge(Stdout.layerMemory(out), Stderr.layerMemory(err))))))
    return { out: out.join(""), err: err.join("") }
  })

describe("text", () => {
  it.effect("prints the text of all turns, each on its own line, and nothing else", () =>
    Effect.gen(function* () {
      const { err, out } = yield* written(TextWriter.layer(options), run, succeeded)
      expect(out).toBe("Let me look\nDone.\n")
      expect(err).toBe("Error executing tool ls: no such tool\n[WARNING] careful\n")
    })
  )

  it.effect("says in one line what failed and what to do", () =>
    Effect.gen(function* () {
      const { err, out } = yield* written(TextWriter.layer(options), [{ _tag: "Text", text: "part" }], failed)
      expect(out).toBe("part\n")
      expect(err).toBe("error: it broke. Try again. [gemini help unavailable]\n")
    })
  )

  it.effect("passes control sequences on when asked to", () =>
    Effect.gen(function* () {
      const { out } = yield* written(
        TextWriter.layer({ raw: true }),
        [{ _tag: "Text", text: "\u001b[1mx\n" }],
        succeeded
      )
      expect(out).toBe("\u001b[1mx\n")
    })
  )
})

describe("json", () => {
  it.effect("is one document whose response is the last turn", () =>
    Effect.gen(function* () {
      const { out } = yield* written(JsonWriter.layer({ sessionId, sharesScreen: false }), run, succeeded)
      expect(out.endsWith("}\n")).toBe(true)
      const document = JSON.parse(out)
      expect(Object.keys(document)).toEqual([
        "session_id",
        "response",
        "stats",
        "warnings",
        "full_response",
        "completion_reason",
        "permission_denials",
        "hidden_tools",
        "trust",
        "schema_version"
      ])
      expect(document).toMatchObject({
        session_id: "s-1",
        response: "Done.",
        warnings: ["careful"],
        full_response: "Let me look\nDone.",
        completion_reason: "success",
        trust: "trusted"
      })
    })
  )

  it.effect("stands on both streams when the run failed before a request was made", () =>
    Effect.gen(function* () {
      const { err, out } = yield* written(JsonWriter.layer({ sessionId, sharesScreen: false }), [], failed)
      expect(out).toBe(err)
      expect(JSON.parse(out)).toEqual({
        session_id: "s-1",
        error: { type: "Error", message: "it broke", code: 503, status: 503, hint: "Try again.", help: "unavailable" },
        completion_reason: "api",
        permission_denials: [],
        hidden_tools: [],
        schema_version: 1
      })
    })
  )

  it.effect("is not repeated where both streams end on one screen", () =>
    Effect.gen(function* () {
      const { err } = yield* written(JsonWriter.layer({ sessionId, sharesScreen: true }), [], failed)
      expect(err).toBe("")
    })
  )
})

describe("stream-json", () => {
  it.effect("sends one event a line, the result last", () =>
    Effect.gen(function* () {
      const { out } = yield* written(StreamJsonWriter.layer(options), run, succeeded)
      const lines = out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(lines.map(({ timestamp: _, stats: __, ...line }) => line)).toEqual([
        { type: "init", session_id: "s-1", model: "auto", trust: "trusted", schema_version: 1 },
        { type: "message", role: "user", content: "hi" },
        { type: "message", role: "assistant", content: "Let me ", delta: true },
        { type: "message", role: "assistant", content: "look", delta: true },
        { type: "tool_use", tool_name: "ls", tool_id: "ls__1", parameters: { a: 1 } },
        {
          type: "tool_result",
          tool_id: "ls__1",
          status: "error",
          output: "no",
          error: { type: "tool_not_registered", message: "no such tool" }
        },
        { type: "message", role: "assistant", content: "Done.", delta: true },
        { type: "error", severity: "warning", message: "careful" },
        { type: "result", status: "success", completion_reason: "success", permission_denials: [], hidden_tools: [] }
      ])
      expect(lines[0].timestamp).toBe("1970-01-01T00:00:00.000Z")
      expect(lines.at(-1).stats).toMatchObject({ duration_ms: 2000, tool_calls: 1 })
    })
  )

  it.effect("has the events that are asked for, and no others", () =>
    Effect.gen(function* () {
      const events: ReadonlyArray<ProtocolEvent> = [
        { _tag: "Thought", subject: "s\u001b[1m", description: "d" },
        {
          _tag: "ChatCompressed",
          status: "COMPRESSED",
          originalTokens: 9,
          newTokens: 2,
          windowTokens: 10,
          history: []
        },
        { _tag: "ChatCompressed", status: "NOOP", originalTokens: 2, newTokens: 2, windowTokens: 10, history: [] },
        { _tag: "Subagent", agent: "a", callId, event: { _tag: "Thought", subject: "s", description: "d" } }
      ]
      const lines: Readonly<Record<ExtraEvent, object>> = {
        thought: { type: "thought", subject: "s", description: "d" },
        compression: { type: "compression", status: "COMPRESSED", original_tokens: 9, new_tokens: 2 },
        subagent: {
          type: "subagent",
          agent: "a",
          tool_id: callId,
          event: { type: "thought", subject: "s", description: "d" }
        }
      }
      for (const extraEvents of [[], ...ExtraEvent.literals.map((one) => [one]), ExtraEvent.literals]) {
        const { out } = yield* written(StreamJsonWriter.layer({ ...options, extraEvents }), events, succeeded)
        const told = out
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
        expect(
          told.filter(({ type }) => type !== "init" && type !== "result").map(({ timestamp: _, ...line }) => line)
        ).toEqual(extraEvents.map((name) => lines[name]))
      }
    })
  )

  it.effect("has init and result when the run never began", () =>
    Effect.gen(function* () {
      const { err, out } = yield* written(StreamJsonWriter.layer(options), [], failed)
      const lines = out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(lines.map((line) => line.type)).toEqual(["init", "result"])
      expect(lines[1]).toMatchObject({ status: "error", error: { type: "Error", code: 503 } })
      expect(err).toBe("")
    })
  )
})
