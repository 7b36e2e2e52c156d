import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { it } from "../../../test/kit/it.ts"
import { screenModel } from "../../../test/kit/screen-model.ts"
import { testTerminal } from "../../../test/kit/terminal-device.ts"
import * as Keyboard from "../terminal/keyboard.ts"
import * as Screen from "../terminal/screen.ts"
import { plainStyle, type TerminalStyle } from "../terminal/terminal-style.ts"
import { ExternalEditor, ExternalEditorError } from "./external-editor.ts"
import * as Editor from "./line-editor.ts"

const animated: TerminalStyle = { colors: false, unicode: true, animates: true, links: false }

interface Desk {
  /** Types, and lets the editor work it off. */
  readonly type: (keys: string) => Effect.Effect<void>
  readonly lines: () => ReadonlyArray<string>
  readonly cursor: () => number
  readonly written: Array<string>
  readonly resize: () => void
}

interface DeskOptions {
  readonly columns?: number
  readonly edit?: (text: string) => Effect.Effect<string, ExternalEditorError>
  readonly style?: TerminalStyle
}

const unchanged = (text: string) => Effect.succeed(text)

const settle = Effect.forEach(Array.from({ length: 60 }), () => Effect.yieldNow(), { discard: true })

const atDesk = <A>(
  body: (desk: Desk, editor: Editor.LineEditor["Type"]) => Effect.Effect<A, unknown, Screen.Screen | Keyboard.Keyboard>,
  { columns = 40, edit = unchanged, style = animated }: DeskOptions = {}
) =>
  Effect.suspend(() => {
    const terminal = testTerminal()
    const model = screenModel(columns)
    const written: Array<string> = []
    const desk: Desk = {
      type: (keys) =>
        Effect.zipRight(
          Effect.sync(() => terminal.type(keys)),
          settle
        ),
      lines: model.lines,
      cursor: model.cursor,
      written,
      resize: terminal.resize
    }
    const screen = Screen.layer({
      write: (text) =>
        Effect.sync(() => {
          written.push(text)
          model.write(text)
        }),
      columns: () => columns,
      style,
      notificationMethod: "auto",
      isInTmux: false
    })
    const external = Layer.succeed(ExternalEditor, { edit: ({ text }) => edit(text) })
    const keyboard = Keyboard.layer(terminal.device, { raw: style.animates })
    return Effect.flatMap(Editor.LineEditor, (editor) =>
      Effect.zipRight(warmUp(terminal.type), body(desk, editor))
    ).pipe(Effect.provide(Editor.layer.pipe(Layer.provideMerge(Layer.mergeAll(screen, keyboard, external)))))
  })

/** In the first read LF counts as Enter; the tests are about later ones. */
const warmUp = (type: (keys: string) => void) =>
  Effect.zipRight(
    Effect.sync(() => type("x")),
    Effect.flatMap(Keyboard.Keyboard, ({ next }) => next)
  )

const prompt = () => "> "

describe("a reading that nobody waits for any more", () => {
  it.effect("leaves no line behind", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const screen = yield* Screen.Screen
        const reading = yield* Effect.fork(editor.readLine({ prompt: () => "> " }))
        yield* desk.type("half a line")
        yield* Fiber.interrupt(reading)
        yield* screen.print("Goodbye.")
        expect(desk.lines().filter((line) => line !== "")).toEqual(["Goodbye."])
      })
    )
  )
})

describe("a line", () => {
  it.effect("is echoed key by key and stays when it is sent", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* settle
        for (const character of "hello") yield* desk.type(character)
        expect(desk.written).toEqual(["> ", "h", "e", "l", "l", "o"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "hello" })
        expect(desk.lines()).toEqual(["> hello", ""])
        expect(desk.written.join("")).toBe("> hello\n")
      })
    )
  )

  it.effect("that is too long scrolls in its row and is printed whole", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const reading = yield* Effect.fork(editor.readLine({ prompt }))
          const text = "abcdefghijklmnopqrstuvwxyz"
          for (const character of text) yield* desk.type(character)
          expect(desk.lines().at(-1)).toMatch(/^> <[a-z]+z$/)
          yield* desk.type("\u0001")
          expect([desk.lines().at(-1), desk.cursor()]).toEqual(["> abcdefghijklmnop>", 2])
          yield* desk.type("\r")
          expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text })
          expect(desk.lines()).toEqual(["> abcdefghijklmnopqr", "stuvwxyz", ""])
        }),
      { columns: 20 }
    )
  )

  it.effect("with wide characters has its cursor in the right cell", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("漢字👨‍👩‍👧x\u001b[D\u001b[D")
        expect([desk.lines().at(-1), desk.cursor()]).toEqual(["> 漢字👨‍👩‍👧x", 6])
      })
    )
  )

  it.effect("ends by Ctrl-C, Ctrl-D, Esc and a terminal that is gone", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const read = Effect.fork(editor.readLine({ prompt }))
        const interrupted = yield* read
        yield* desk.type("abc\u0003")
        expect(yield* Fiber.join(interrupted)).toEqual({ _tag: "Interrupted" })
        const ended = yield* read
        yield* desk.type("\u0004")
        expect(yield* Fiber.join(ended)).toEqual({ _tag: "EndOfInput" })
        const escaped = yield* read
        yield* desk.type("\u001b")
        yield* TestClock.adjust("50 millis")
        expect(yield* Fiber.join(escaped)).toEqual({ _tag: "Escaped" })
        expect(desk.lines()).toEqual(["> abc^C", ">", ""])
      })
    )
  )

  it.effect("of a secret is neither shown nor kept for yanking", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const secret = yield* Effect.fork(editor.readLine({ prompt: () => "key: ", isSecret: true, multiLine: false }))
        yield* desk.type("AIza-secret\u0015AIza-other\r")
        expect(yield* Fiber.join(secret)).toEqual({ _tag: "Line", text: "AIza-other" })
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("\u0019")
        expect(desk.lines()).toEqual(["key:", ">"])
      })
    )
  )
})

describe("several lines", () => {
  it.effect("finished ones stay above, the last one is edited", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("one\\\rtwo\nth")
        expect(desk.lines()).toEqual(["> one", ". two", ". th"])
        yield* desk.type("ree\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "one\ntwo\nthree" })
        expect(desk.lines()).toEqual(["> one", ". two", ". three", ""])
      })
    )
  )

  it.effect("a paste is shown whole and waits for Enter", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("see \u001b[200~a\r\nb\r\nc\u001b[201~")
        expect(desk.lines()).toEqual(["> see a", ". b", ". c"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "see a\nb\nc" })
      })
    )
  )

  it.effect("a finished line that is changed after all is shown in the row, and all of it printed again", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const reading = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("one\ntwo\u001b[A!")
        expect(desk.lines()).toEqual(["> one", "> one!↵two"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "one!\ntwo" })
        expect(desk.lines()).toEqual(["> one", "> one!", ". two", ""])
      })
    )
  )

  it.effect("one from the history is edited in one row", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const history = { entries: Effect.succeed(["a\nb"]), add: () => Effect.void }
        yield* Effect.fork(editor.readLine({ prompt, history }))
        yield* desk.type("\u001b[A")
        expect(desk.lines()).toEqual(["> a↵b"])
      })
    )
  )
})

describe("while something runs", () => {
  it.effect("an empty line leaves its place to the status, a typed one does not, and both survive prints", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        const screen = yield* Screen.Screen
        yield* editor.setBusy(true)
        yield* screen.show({ text: "working" })
        yield* Effect.fork(editor.readLine({ prompt }))
        yield* settle
        expect(desk.lines()).toEqual(["working"])
        yield* desk.type("nex")
        expect(desk.lines()).toEqual(["> nex"])
        yield* screen.print("an answer")
        yield* desk.type("t")
        expect(desk.lines()).toEqual(["an answer", "> next"])
        yield* screen.show(undefined)
        yield* editor.setBusy(false)
        expect(desk.lines()).toEqual(["an answer", "> next"])
      })
    )
  )

  it.effect("a question covers the line and gives it back", () =>
    atDesk((desk, editor) =>
      Effect.gen(function* () {
        yield* editor.setBusy(true)
        const line = yield* Effect.fork(editor.readLine({ prompt }))
        yield* desk.type("half")
        const question = yield* Effect.fork(editor.readLine({ prompt: () => "Allow? ", multiLine: false }))
        yield* settle
        yield* desk.type("y")
        expect(desk.lines()).toEqual(["Allow? y"])
        yield* desk.type("\r")
        expect(yield* Fiber.join(question)).toEqual({ _tag: "Line", text: "y" })
        yield* desk.type(" done\r")
        expect(yield* Fiber.join(line)).toEqual({ _tag: "Line", text: "half done" })
        expect(desk.lines()).toEqual(["Allow? y", "> half done", ""])
      })
    )
  )
})

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

describe("where the terminal edits lines", () => {
  const plain = { style: plainStyle }

  it.effect("nothing but the prompt is written", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const reading = yield* Effect.fork(editor.readLine({ prompt }))
          yield* desk.type("one\\\n")
          yield* desk.type("two\n")
          expect(yield* Fiber.join(reading)).toEqual({ _tag: "Line", text: "one\ntwo" })
          expect(desk.written).toEqual(["> ", ". "])
        }),
      plain
    )
  )

  it.effect("the end of input ends it, and a question is asked again after a print", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const screen = yield* Screen.Screen
          yield* Effect.fork(editor.readLine({ prompt: () => "Allow? ", multiLine: false }))
          yield* settle
          yield* screen.print("news")
          expect(desk.written.join("")).toBe("Allow? \nnews\nAllow? ")
        }),
      plain
    )
  )

  it.effect("no prompt stands between the lines of an answer", () =>
    atDesk(
      (desk, editor) =>
        Effect.gen(function* () {
          const screen = yield* Screen.Screen
          yield* editor.setBusy(true)
          yield* Effect.fork(editor.readLine({ prompt }))
          yield* settle
          yield* screen.print("answer")
          yield* editor.setBusy(false)
          expect(desk.written.join("")).toBe("answer\n> ")
        }),
      plain
    )
  )
})
