import { describe, expect } from "bun:test"
import { Effect, Fiber, TestClock } from "effect"
import { atDesk, prompt, settle } from "../../../test/kit/editor-desk.ts"
import { it } from "../../../test/kit/it.ts"
import { ExternalEditorError } from "./external-editor.ts"

describe("keys with a meaning outside", () => {
  it.effect("a hotkey runs, and the prompt follows it", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        let mode = "> "
        const hotkeys = {
          "S-tab": Effect.sync(() => {
            mode = "plan> "
          })
        }
        yield* Effect.fork(editor.readLine({ prompt: () => mode, hotkeys }))
        yield* desk.type("ab\u001b[Z")
        expect(desk.lines()).toEqual(["plan> ab"])
      })
    )
  )

  it.effect("Tab completes, lists at the second press, and never sends", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const completer = () =>
          Effect.succeed({ from: 1, candidates: [{ value: "memory", hint: "context" }, { value: "memo" }] })
        yield* Effect.fork(editor.readLine({ prompt, completer }))
        yield* desk.type("/m\t")
        expect(desk.lines()).toEqual(["> /memo"])
        yield* desk.type("\t")
        expect(desk.lines()).toEqual(["  memory  context", "  memo", "> /memo"])
      })
    )
  )

  it.effect("a slow completion is given up when the person types on", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const completer = () => Effect.never
        yield* Effect.fork(editor.readLine({ prompt, completer }))
        yield* desk.type("/m\t")
        yield* TestClock.adjust("200 millis")
        yield* desk.type("x")
        expect(desk.lines()).toEqual(["> /mx"])
      })
    )
  )

  it.effect("a completion that breaks changes nothing", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt, completer: () => Effect.interrupt }))
        yield* desk.type("/m\t\tx\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "/mx" })
      })
    )
  )

  it.effect("the editor of the user changes the text; when it fails, the text is as before", () =>
    Effect.gen(function* () {
      const edit = (text: string) =>
        text === "bad"
          ? Effect.fail(new ExternalEditorError({ kind: "none", command: "", detail: "" }))
          : Effect.succeed(`${text}\nmore`)
      yield* atDesk(
        (desk, editor) =>
          Effect.gen(function* () {
            const reading = yield* Effect.fork(editor.readLine({ prompt }))
            yield* desk.type("good\u0018\u0005")
            expect(desk.lines()).toEqual(["> good", ". more"])
            yield* desk.type("\u0007\r")
            expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "good\nmore\nmore" })
            yield* Effect.fork(editor.readLine({ prompt }))
            yield* desk.type("bad\u0007")
            expect(desk.lines().at(-1)).toBe("> bad")
            expect(desk.lines().join(" ")).toContain("set $VISUAL or $EDITOR")
          }),
        { columns: 100, edit }
      )
    })
  )

  it.effect("a pasted @ names no file where that is wanted, a typed one does", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const line = yield* Effect.fork(editor.readLine({ prompt, escapesPastes: true }))
        yield* desk.type("@a ")
        yield* desk.type("\u001b[200~mail x@y.z and \\@b\u001b[201~\r")
        expect(yield* Fiber.join(line)).toEqual({ _tag: "Line", text: "@a mail x\\@y.z and \\@b" })
      })
    )
  )

  it.effect("vi keys that are switched on count in a reading that is open already", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("abc")
        yield* editor.setViKeys(true)
        yield* desk.type("\u001b")
        yield* TestClock.adjust("50 millis")
        yield* desk.type("x")
        expect(desk.lines()).toEqual(["[N] > ab"])
      })
    )
  )

  it.effect("vi keys say when they command", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        yield* editor.setViKeys(true)
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("abc\u001b")
        yield* TestClock.adjust("50 millis")
        yield* settle
        expect(desk.lines()).toEqual(["[N] > abc"])
        yield* desk.type("x")
        expect(desk.lines()).toEqual(["[N] > ab"])
      })
    )
  )
})
