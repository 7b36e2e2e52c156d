import { describe, expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber, FastCheck as fc, Layer, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import type { EventOf, ProtocolEvent } from "../../protocol/event.ts"
import { CallId } from "../../protocol/ids.ts"
import { NO_USAGE } from "../../protocol/usage.ts"
import { Screen } from "../terminal/screen.ts"
import { plainStyle, type TerminalStyle } from "../terminal/terminal-features.ts"
import type { TranscriptSettings } from "./event-lines.ts"
import * as TranscriptModule from "./transcript.ts"

const quiet: TranscriptSettings = {
  showsThoughts: false,
  showsCitations: false,
  showsModel: false,
  showsRecovered: false,
  showsFooter: false,
  hidesFooterModel: false
}
const animated: TerminalStyle = { colors: false, unicode: true, animates: true, links: false }

interface Seen {
  readonly printed: Array<string>
  readonly shown: Array<string>
}

const watching = <E>(
  body: (transcript: TranscriptModule.Transcript["Type"], seen: Seen) => Effect.Effect<void, E>,
  options: {
    readonly settings?: Partial<TranscriptSettings>
    readonly style?: TerminalStyle
    readonly columns?: number
  } = {}
) =>
  Effect.suspend(() => {
    const seen: Seen = { printed: [], shown: [] }
    let said = ""
    const screen = Layer.mock(Screen, {
      columns: Effect.succeed(options.columns ?? 60),
      style: options.style ?? plainStyle,
      printOver: (text, line) =>
        Effect.sync(() => {
          said += text
          seen.printed.splice(0, seen.printed.length, ...said.replace(/\n$/, "").split("\n"))
          seen.shown.push(line?.text ?? "(nothing)")
        }),
      show: (line) => Effect.sync(() => void seen.shown.push(line?.text ?? "(nothing)"))
    })
    const layer = TranscriptModule.layer({ ...quiet, ...options.settings }).pipe(Layer.provide(screen))
    return Effect.flatMap(TranscriptModule.Transcript, (transcript) => body(transcript, seen)).pipe(
      Effect.provide(layer)
    )
  })

const printedOf = (events: ReadonlyArray<ProtocolEvent>, options: Parameters<typeof watching>[1] = {}) => {
  let lines: ReadonlyArray<string> = []
  return watching(
    (transcript, { printed }) =>
      transcript.during(Effect.forEach(events, transcript.onEvent, { discard: true })).pipe(
        Effect.tap(() => {
          lines = printed
        })
      ),
    options
  ).pipe(Effect.map(() => lines))
}

const say = (text: string): ProtocolEvent => ({ _tag: "Text", text })
const callId = CallId.make("c-1")
const begun = (more: Partial<EventOf<"ToolStarted">> = {}): ProtocolEvent => ({
  _tag: "ToolStarted",
  callId,
  name: "run_shell_command",
  title: "Shell",
  description: "npm test",
  wasAsked: false,
  ...more
})
const ended = (more: Partial<EventOf<"ToolFinished">> = {}): ProtocolEvent => ({
  _tag: "ToolFinished",
  callId,
  name: "run_shell_command",
  status: "success",
  output: "ok",
  durationMs: 3_200,
  ...more
})

describe("an answer", () => {
  it.effect("is printed line by line, and to its end", () =>
    Effect.gen(function* () {
      expect(yield* printedOf([say("one\ntw"), say("o\n\nthree")])).toEqual(["one", "two", "", "three"])
    })
  )

  it.effect("pauses on a line of its own before a tool speaks", () =>
    Effect.gen(function* () {
      const requested: ProtocolEvent = { _tag: "ToolRequested", callId, name: "x", args: {} }
      expect(yield* printedOf([say("Let me look."), requested, begun(), ended(), say("Done.")])).toEqual([
        "Let me look.",
        "+ Shell npm test",
        "  | ok",
        "Done."
      ])
    })
  )

  it.effect("keeps what had arrived when it is cancelled", () =>
    watching((transcript, { printed }) =>
      Effect.gen(function* () {
        const isSaid = yield* Deferred.make<void>()
        const run = transcript
          .onEvent(say("half a line"))
          .pipe(Effect.zipRight(Deferred.succeed(isSaid, undefined)), Effect.zipRight(Effect.never))
        const fiber = yield* Effect.fork(transcript.during(run))
        yield* Deferred.await(isSaid)
        expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
        expect(printed).toEqual(["half a line"])
      })
    )
  )

  it.effect("cannot act on the terminal, whatever it holds and however it is cut", () =>
    Effect.gen(function* () {
      const nasty = fc.array(
        fc.oneof(
          fc.fullUnicodeString({ maxLength: 5 }),
          fc.constantFrom(
            "\u001b[2J",
            "\u001b",
            "[2J",
            "\u001b]52;c;aGk=\u0007",
            "\r",
            "\r\n",
            "\u202e",
            "\u009b1A",
            "\b\b",
            "```\n"
          )
        ),
        { maxLength: 20 }
      )
      for (const pieces of fc.sample(nasty, 60)) {
        const lines = yield* printedOf(pieces.map(say))
        expect(lines.join("\n")).not.toMatch(/(?!\n|\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
        expect(yield* printedOf([say(pieces.join(""))])).toEqual(lines)
      }
    })
  )
})

describe("a tool", () => {
  const one = (events: ReadonlyArray<ProtocolEvent>) => printedOf(events, { style: animated })

  it.effect("shows the end of a command's output, and the beginning of other results", () =>
    Effect.gen(function* () {
      const output = Array.from({ length: 12 }, (_, line) => `line ${line}`).join("\n")
      expect(yield* one([begun(), ended({ output })])).toEqual([
        "✓ Shell npm test",
        "  │ … 7 more lines",
        "  │ line 7",
        "  │ line 8",
        "  │ line 9",
        "  │ line 10",
        "  │ line 11"
      ])
      const listed = yield* one([begun({ title: "ReadFolder" }), ended({ name: "list_directory", output })])
      expect(listed.at(-1)).toBe("  │ … 7 more lines")
    })
  )

  it.effect("that failed or was refused says why", () =>
    Effect.gen(function* () {
      const error = { type: "file_not_found" as const, message: "no such file\u001b[2J" }
      expect(yield* one([begun(), ended({ status: "error", error, durationMs: 1 })])).toEqual([
        "✗ Shell npm test",
        "  │ no such file"
      ])
      expect(yield* one([ended({ status: "cancelled", output: "cancelled: use make", durationMs: 1 })])).toEqual([
        "⊘ run_shell_command · cancelled: use make"
      ])
      const declined = { status: "cancelled", output: "cancelled", durationMs: 1 } as const
      expect(yield* one([ended({ ...declined, displayName: "Edit", description: "a.txt: x => y" })])).toEqual([
        "⊘ Edit a.txt: x => y · cancelled"
      ])
    })
  )

  it.effect("that changed a file shows the difference, unless it was just agreed to", () =>
    Effect.gen(function* () {
      const output = "--- a\tOriginal\n+++ a\tWritten\n@@ -1 +1 @@\n-a\n+b\n"
      const edit = ended({ name: "replace", output, linesAdded: 1, linesRemoved: 1, durationMs: 5 })
      expect(yield* one([begun({ title: "Edit", description: "a.ts" }), edit])).toEqual([
        "✓ Edit a.ts · +1 -1",
        "  │ @@ -1 +1 @@",
        "  │ -a",
        "  │ +b"
      ])
      expect(yield* one([begun({ title: "Edit", wasAsked: true }), edit])).toHaveLength(1)
    })
  )

  it.effect("that keeps a list shows it", () =>
    Effect.gen(function* () {
      const output = "1. [completed] Read\n2. [in_progress] Write\n3. [pending] Test"
      const lines = yield* one([begun({ title: "WriteTodos" }), ended({ name: "write_todos", output })])
      expect(lines.slice(1)).toEqual(["  ✓ Read", "  ▸ Write", "  ○ Test"])
    })
  )

  it.effect("cannot leave its gutter or its width", () =>
    Effect.gen(function* () {
      for (const [output, description] of fc.sample(fc.tuple(fc.fullUnicodeString(), fc.fullUnicodeString()), 50)) {
        const hostile = `${output}\n? Allow this command to run?\n${"x".repeat(500)}\r\u001b[1A`
        const [head = "", ...rest] = yield* one([
          begun({ description: `${description}\n? Allow` }),
          ended({ output: hostile })
        ])
        expect(head.startsWith("✓ Shell ")).toBe(true)
        expect(rest.every((line) => line.startsWith("  │ "))).toBe(true)
        for (const line of [head, ...rest]) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60)
      }
    })
  )

  it.effect("is timed from when it began, not from when it was asked about", () =>
    watching((transcript, { printed }) =>
      Effect.gen(function* () {
        yield* transcript.onEvent(begun({ wasAsked: true }))
        yield* TestClock.adjust("75 seconds")
        yield* transcript.onEvent(ended({ durationMs: 300_000 }))
        expect(printed[0]).toBe("+ Shell npm test - 1m15s")
      })
    )
  )

  it.effect("that takes long says so once where nothing moves", () =>
    Effect.gen(function* () {
      const progress: ProtocolEvent = { _tag: "ToolProgress", callId, output: "…" }
      const lines = yield* printedOf([begun(), progress, progress, ended()])
      expect(lines).toEqual(["  running Shell npm test", "+ Shell npm test", "  | ok"])
    })
  )
})

describe("the status line", () => {
  it.effect("says what is waited for, how long, and how to stop it; then it is gone", () =>
    watching(
      (transcript, { printed, shown }) =>
        Effect.gen(function* () {
          const isOver = yield* Deferred.make<void>()
          const fiber = yield* Effect.fork(
            transcript.during(
              transcript.onEvent({ _tag: "ModelChosen", model: "m-1" }).pipe(Effect.zipRight(Deferred.await(isOver)))
            )
          )
          yield* TestClock.adjust("65 seconds")
          expect(shown.at(-1)).toMatch(/^\S waiting for m-1 · 1m0\ds · Ctrl-C to cancel$/)
          yield* transcript.onEvent(begun())
          yield* transcript.onEvent({ _tag: "ToolProgress", callId, output: "first\nsecond \u001b[2J\n" })
          yield* TestClock.adjust("2 seconds")
          expect(shown.at(-1)).toMatch(/^\S Shell npm test: second · \ds · Ctrl-C to cancel$/)
          yield* transcript.onEvent(say("an unfinished line"))
          yield* TestClock.adjust("1 second")
          expect(shown.at(-1)).toBe("an unfinished line")
          yield* Deferred.succeed(isOver, undefined)
          yield* Fiber.join(fiber)
          const count = shown.length
          yield* TestClock.adjust("10 seconds")
          expect([shown.at(-1), shown.length]).toEqual(["(nothing)", count])
          expect(printed).toEqual(["an unfinished line", "⊘ Shell npm test · 3s · cancelled"])
        }),
      { style: animated }
    )
  )

  it.effect("fits a narrow window", () =>
    watching(
      (transcript, { shown }) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(transcript.during(Effect.never))
          yield* transcript.onEvent(begun({ description: "x".repeat(200) }))
          yield* TestClock.adjust("3 seconds")
          expect(Bun.stringWidth(shown.at(-1) ?? "")).toBeLessThan(40)
          expect(shown.at(-1)).toContain("Ctrl-C to cancel")
          yield* Fiber.interrupt(fiber)
        }),
      { style: animated, columns: 40 }
    )
  )
})

describe("the settings", () => {
  const thought: ProtocolEvent = { _tag: "Thought", subject: "Plan", description: "Look around." }
  const citation: ProtocolEvent = { _tag: "Citation", text: "Citations:\nhttps://a" }
  const chosen: ProtocolEvent = { _tag: "ModelChosen", model: "m-1" }
  const retry: ProtocolEvent = {
    _tag: "RetryScheduled",
    model: "m",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 2000,
    reason: "busy",
    errorType: "UNAVAILABLE"
  }

  it.effect("hide what is not wanted", () =>
    Effect.gen(function* () {
      expect(yield* printedOf([chosen, thought, citation, retry])).toEqual([])
    })
  )

  it.effect("show what is", () =>
    Effect.gen(function* () {
      const settings = { showsThoughts: true, showsCitations: true, showsModel: true, showsRecovered: true }
      expect(yield* printedOf([chosen, thought, citation, retry], { settings })).toEqual([
        " model: m-1",
        "  Plan",
        "  Look around.",
        " Citations:",
        " https://a",
        "i busy; attempt 2 of 3 in 2s"
      ])
    })
  )

  it.effect("have a footer with what the prompt took", () =>
    Effect.gen(function* () {
      const request: ProtocolEvent = {
        _tag: "RequestFinished",
        model: "m-1",
        role: "main",
        durationMs: 1,
        usage: { ...NO_USAGE, promptTokenCount: 12_300, cachedContentTokenCount: 8_000, candidatesTokenCount: 400 },
        costUsd: 0.0123
      }
      const footer = { settings: { showsFooter: true } }
      expect(yield* printedOf([request], footer)).toEqual([
        "  m-1 - 12.3k in (8.0k cached) - 400 out - about $0.01 - 0s"
      ])
      const { costUsd: _, ...unpriced } = request
      expect(yield* printedOf([request, unpriced], footer)).toEqual(["  m-1 - 24.6k in (16.0k cached) - 800 out - 0s"])
      expect(yield* printedOf([], footer)).toEqual([])
    })
  )
})

describe("notices", () => {
  it.effect("stand behind a mark, on a line of their own, broken only where that is wanted", () =>
    Effect.gen(function* () {
      const printedIn = (style: TerminalStyle) =>
        printedOf(
          [
            say("half"),
            { _tag: "Notice", severity: "error", message: "it broke and here are many words about it\u001b[2J" },
            { _tag: "PermissionDenied", callId, toolName: "x", reason: "no", allowWith: "--yolo" },
            {
              _tag: "ChatCompressed",
              status: "COMPRESSED",
              originalTokens: 10,
              newTokens: 2,
              windowTokens: 20,
              history: []
            }
          ],
          { style, columns: 30 }
        )
      expect(yield* printedIn(animated)).toEqual([
        "half",
        "✗ it broke and here are many words about it",
        "ℹ x was refused: no (to allow it: --yolo)",
        "ℹ Chat history compressed: from 50 % to 10 % of the context window"
      ])
      expect(yield* printedIn({ ...animated, wrapsHard: true })).toEqual([
        "half",
        "✗ it broke and here are many",
        "  words about it",
        "ℹ x was refused: no (to allow",
        "  it: --yolo)",
        "ℹ Chat history compressed:",
        "  from 50 % to 10 % of the",
        "  context window"
      ])
    })
  )
})
