import { expect } from "bun:test"
import { Effect, Layer, TestClock } from "effect"
import { it } from "../../test/kit/it.ts"
import { succeeded } from "../protocol/outcome.ts"
import { withProgress } from "./progress.ts"
import { RunWriter } from "./run-writer.ts"
import * as Stderr from "./stderr.ts"
import * as Stdout from "./stdout.ts"
import * as TextWriter from "./text-writer.ts"

const onTerminal = (body: (written: () => string) => Effect.Effect<void, unknown, RunWriter>, sharesScreen = true) =>
  Effect.suspend(() => {
    const written: Array<string> = []
    const screen = Layer.merge(Stdout.layerMemory(written), Stderr.layerMemory(written))
    return body(() => written.join("")).pipe(
      Effect.provide(withProgress(TextWriter.layer({ raw: false }), { sharesScreen }).pipe(Layer.provide(screen)))
    )
  })

it.effect("a short wait is not worth a word", () =>
  onTerminal((written) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("500 millis")
      expect(written()).toBe("")
    })
  )
)

it.effect("a long wait names what it waits for and is wiped before the text", () =>
  onTerminal((written) =>
    Effect.gen(function* () {
      const writer = yield* RunWriter
      yield* writer.onEvent({ _tag: "ModelChosen", model: "m-1" })
      yield* TestClock.adjust("3 seconds")
      expect(written()).toContain("waiting for m-1 · 2s")
      expect(written()).toContain("Ctrl-C to cancel")
      yield* writer.onEvent({ _tag: "Text", text: "hello\n" })
      expect(written().endsWith("\r\u001b[2Khello\n")).toBe(true)
    })
  )
)

it.effect("nothing is written into a line of the answer", () =>
  onTerminal((written) =>
    Effect.gen(function* () {
      const writer = yield* RunWriter
      yield* writer.onEvent({ _tag: "Text", text: "half a line" })
      yield* TestClock.adjust("10 seconds")
      expect(written()).toBe("half a line")
    })
  )
)

it.effect("an answer that goes elsewhere does not stop the status", () =>
  onTerminal(
    (written) =>
      Effect.gen(function* () {
        const writer = yield* RunWriter
        yield* writer.onEvent({ _tag: "Text", text: "half a line" })
        yield* TestClock.adjust("10 seconds")
        expect(written()).toContain("answering · 9s")
      }),
    false
  )
)

it.effect("the end of the run wipes the status and nothing comes after", () =>
  onTerminal((written) =>
    Effect.gen(function* () {
      const writer = yield* RunWriter
      yield* TestClock.adjust("2 seconds")
      yield* writer.finish(succeeded)
      const atEnd = written()
      yield* TestClock.adjust("10 seconds")
      expect(atEnd.endsWith("\r\u001b[2K")).toBe(true)
      expect(written()).toBe(atEnd)
    })
  )
)
