import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { key, paste, type Text, textInput } from "../terminal/key.ts"
import { type EditContext, type EditorWish, type EditState, initialState } from "./edit-state.ts"
import { step } from "./edit-step.ts"
import { emacsKeys } from "./emacs-keys.ts"
import { nextBorder } from "./grapheme.ts"

const HISTORY = ["first", "git status", "two\nlines", "git push"]
const context: EditContext = { history: HISTORY, multiLine: true }

/** `|` is the cursor. */
const at = (marked: string, viKeys = false): EditState => {
  const cursor = marked.indexOf("|")
  const text = marked.replace("|", "")
  return { ...initialState({ text, viKeys }), cursor: cursor === -1 ? text.length : cursor }
}
const marked = ({ cursor, text }: EditState): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`

/** Words between blanks are names of keys, or `'text'`. */
const inputs = (keys: string) =>
  keys
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => (word.startsWith("'") ? textInput(word.slice(1, -1).replaceAll("_", " ")) : key(word)))

const press = (state: EditState, keys: string) => {
  let current = state
  let wish: EditorWish | undefined
  for (const input of inputs(keys)) {
    const after = step(current, input, context)
    current = after.state
    wish = after.wish
  }
  return { state: current, wish }
}

const table = (rows: ReadonlyArray<readonly [before: string, keys: string, after: string]>) => {
  for (const [before, keys, after] of rows) {
    test(`${JSON.stringify(before)} ${keys}`, () => expect(marked(press(at(before), keys).state)).toBe(after))
  }
}

describe("moving", () => {
  table([
    ["ab|c", "C-a", "|abc"],
    ["one\ntw|o", "home", "one\n|two"],
    ["a|bc", "C-e", "abc|"],
    ["on|e\ntwo", "end", "one|\ntwo"],
    ["one\ntw|o", "C-home", "|one\ntwo"],
    ["|one\ntwo", "C-end", "one\ntwo|"],
    ["ab|", "C-b", "a|b"],
    ["|ab", "left", "|ab"],
    ["|ab", "C-f", "a|b"],
    ["ab|", "right", "ab|"],
    ["foo bar-baz|", "M-b", "foo bar-|baz"],
    ["foo bar|", "C-left M-left", "|foo bar"],
    ["|foo  bar", "M-f M-f", "foo  bar|"],
    ["|foo bar", "C-right", "foo| bar"],
    ["日本|語", "left", "日|本語"],
    ["e\u0301|x", "left", "|e\u0301x"],
    ["a👨‍👩‍👧|", "left", "a|👨‍👩‍👧"],
    ["🇩🇪|🇫🇷", "right", "🇩🇪🇫🇷|"]
  ])
})

describe("erasing, killing and yanking", () => {
  table([
    ["ab|c", "backspace", "a|c"],
    ["a👨‍👩‍👧|b", "C-h", "a|b"],
    ["a|bc", "delete", "a|c"],
    ["a|bc", "C-d", "a|c"],
    ["one |two three", "C-k", "one |"],
    ["one|\ntwo", "C-k", "one|two"],
    ["one |two", "C-u", "|two"],
    ["run --flag=x|", "C-w", "run |"],
    ["a-b|", "M-backspace", "a-|"],
    ["|foo bar", "M-d", "| bar"],
    ["one two|", "C-w C-y C-y", "one twotwo|"],
    ["a b c|", "C-w C-w C-a C-y", "b c|a "],
    ["one two|", "C-w C-a M-d C-y", "one|\u0020"],
    ["one two|", "C-w C-a M-d C-y M-y", "two| "],
    ["|x", "C-y", "|x"]
  ])
})

describe("small edits", () => {
  table([
    ["ab|", "C-t", "ba|"],
    ["a|bc", "C-t", "ba|c"],
    ["|ab", "C-t", "|ab"],
    ["one two|", "M-t", "two one|"],
    ["|one two", "M-u", "ONE| two"],
    ["ONE |TWO", "M-l", "ONE two|"],
    ["|élan vital", "M-c", "Élan| vital"],
    ["|", "'x' C-j 'y'", "x\ny|"],
    ["a|", "M-enter", "a\n|"],
    ["a|", "C-v tab", "a\t|"],
    ["a|", "C-q C-a 'b'", "a\u0001b|"],
    ["echo |", "M-.", "echo push|"]
  ])
})

describe("undo", () => {
  table([
    ["|", "'one' 'two' C-_", "|"],
    ["|", "'one' '_' 'two' C-_", "one|"],
    ["|", "'one' C-a C-k C-_", "|one"],
    ["|", "'one' C-u C-_ C-M-_", "|"],
    ["|", "'one' C-x C-u", "|"]
  ])

  test("takes everything back, one step at a time", () => {
    const keys = Object.keys(emacsKeys).filter((name) => !/^(?:C-_|C-M-_|C-x|C-r|up|down|C-p|C-n|M-[<>])$/.test(name))
    const input = FastCheck.oneof(
      FastCheck.constantFrom(...keys).map(key),
      FastCheck.constantFrom("x", "a b", "漢", "e\u0301").map(textInput)
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(input, { maxLength: 30 }), (all) => {
        let state = at("start |text")
        for (const each of all) state = step(state, each, context).state
        for (let steps = 0; steps < 40; steps += 1) state = step(state, key("C-_"), context).state
        expect(state.text).toBe("start text")
      })
    )
  })
})

describe("history", () => {
  table([
    ["draft|", "up", "git push|"],
    ["draft|", "up up", "two\nlines|"],
    ["draft|", "up up up up", "git status|"],
    ["draft|", "C-p down", "draft|"],
    ["dr|aft", "up C-n", "dr|aft"],
    ["draft|", "down", "draft|"],
    ["draft|", "M-<", "first|"],
    ["draft|", "M-< M->", "draft|"],
    ["one\ntw|o", "up", "on|e\ntwo"],
    ["on|e\ntwo", "down", "one\ntw|o"],
    ["long line\nx\nlong| line", "up up", "long| line\nx\nlong line"]
  ])
})

describe("search", () => {
  table([
    ["draft|", "C-r 'git'", "|git push"],
    ["draft|", "C-r 'GIT' C-r", "|git status"],
    ["draft|", "C-r 'git' C-r C-s", "|git push"],
    ["draft|", "C-r 'git' C-r C-r", "|git status"],
    ["draft|", "C-r 'lines'", "two\n|lines"],
    ["draft|", "C-r 'gitx' backspace", "|git push"],
    ["dra|ft", "C-r 'git' C-g", "dra|ft"],
    ["draft|", "C-r 'git' esc 'x'", "x|git push"],
    ["draft|", "C-r 'git' C-e", "git push|"]
  ])

  test("Enter sends what was found", () => {
    const { state, wish } = press(at("draft|"), "C-r 'stat' enter")
    expect([state.text, wish]).toEqual(["git status", "send"])
  })
})

describe("wishes", () => {
  const rows: ReadonlyArray<readonly [string, string, EditorWish | undefined]> = [
    ["hi|", "enter", "send"],
    ["|", "C-d", "end"],
    ["x|", "C-d", undefined],
    ["x|", "C-c", "interrupt"],
    ["|", "esc", "escape"],
    ["x|", "esc", undefined],
    ["x|", "tab", "complete"],
    ["x|", "C-x C-e", "edit-outside"],
    ["x|", "C-g", "edit-outside"],
    ["x|", "C-l", "clear"],
    ["x\\|", "enter", "settle"],
    ["```ts|", "enter", "settle"],
    ["```ts\nx\n```|", "enter", "send"]
  ]
  for (const [before, keys, wish] of rows) {
    test(`${JSON.stringify(before)} ${keys}: ${wish}`, () => expect(press(at(before), keys).wish).toBe(wish))
  }

  test("Esc twice clears the line, which can be yanked back", () => {
    expect(marked(press(at("some te|xt"), "esc esc").state)).toBe("|")
    expect(marked(press(at("some te|xt"), "esc esc C-y").state)).toBe("some text|")
    expect(marked(press(at("a|"), "esc 'b' esc").state)).toBe("ab|")
  })
})

describe("several lines", () => {
  table([
    ["one\\|", "enter 'two'", "one\ntwo|"],
    ["one\\\\|", "enter", "one\\\\|"],
    ["!ls \\|", "enter", "!ls \\\n|"]
  ])

  test("a paste keeps its line breaks and sends nothing", () => {
    const after = step(at("a |b"), paste("x\ny\n"), context)
    expect([marked(after.state), after.wish]).toEqual(["a x\ny\n|b", "settle"])
  })

  test("a question takes one line only", () => {
    const question: EditContext = { history: [], multiLine: false }
    expect(step(at("y\\|"), key("enter"), question).wish).toBe("send")
    expect(step(at("|"), key("C-j"), question).wish).toBe("send")
    expect(marked(step(at("|"), paste("\nyes\nplease\n"), question).state)).toBe("yes please|")
  })
})

describe("vi keys", () => {
  const vi = (rows: ReadonlyArray<readonly [before: string, keys: string, after: string]>) => {
    for (const [before, keys, after] of rows) {
      test(`${JSON.stringify(before)} ${keys}`, () => expect(marked(press(at(before, true), keys).state)).toBe(after))
    }
  }
  vi([
    ["|", "'abc' esc", "ab|c"],
    ["abc|", "esc '0'", "|abc"],
    ["abc|", "esc '0' '$'", "ab|c"],
    ["  abc|", "esc '^'", "  |abc"],
    ["one two three|", "esc '0w'", "one |two three"],
    ["one two three|", "esc '02w'", "one two |three"],
    ["a.b c|", "esc '0W'", "a.b |c"],
    ["one two|", "esc '0e'", "on|e two"],
    ["one two|", "esc 'b'", "one |two"],
    ["one two|", "esc 'hh'", "one |two"],
    ["one two|", "esc '0fo;'", "one tw|o"],
    ["one two|", "esc '0tw'", "one |two"],
    ["one two|", "esc 'Fo'", "|one two"],
    ["abc|", "esc 'x'", "a|b"],
    ["abc|", "esc '0x' 'p'", "b|ac"],
    ["abc|", "esc '0' 'rX'", "|Xbc"],
    ["abc|", "esc '0' '~~'", "AB|c"],
    ["one two|", "esc '0dw'", "|two"],
    ["one two three|", "esc '0d2w'", "|three"],
    ["one two|", "esc '0cwX' esc", "|X two"],
    ["one two|", "esc '0cwX' esc 'w.'", "X |X"],
    ["one two|", "esc 'diw'", "one| "],
    ["say 'hi you'|", "esc '0fhci'yo' esc", "say 'y|o'"],
    ["f(a, b) x|", "esc '0f,di('", "f(|) x"],
    ["one two|", "esc 'dd'", "|"],
    ["one\ntwo|", "esc 'dd'", "on|e"],
    ["one two|", "esc 'D'", "one t|w"],
    ["one|", "esc 'yyP'", "on|eone"],
    ["one two|", "esc '0Cx' esc", "|x"],
    ["one|", "esc 'Ix' esc", "|xone"],
    ["one|", "esc '0Ax' esc", "one|x"],
    ["one|", "esc 'ox' esc", "one\n|x"],
    ["one\ntwo|", "esc 'kJ'", "one| two"],
    ["abc|", "esc 'xxu'", "a|b"],
    ["abc|", "esc 'xxu' C-r", "|a"],
    ["draft|", "esc 'k'", "git pus|h"],
    ["draft|", "esc 'kj'", "draf|t"],
    ["abc|", "M-h", "a|bc"],
    ["one|", "esc '0' 'i' 'x_' esc", "x| one"]
  ])

  test("Enter sends in both modes, and Esc on an empty line is Esc", () => {
    expect(press(at("a|", true), "esc enter").wish).toBe("send")
    expect(press(at("a|", true), "enter").wish).toBe("send")
    expect(press(at("|", true), "esc").wish).toBe("escape")
  })

  test("v opens the editor, / searches", () => {
    expect(press(at("a|", true), "esc 'v'").wish).toBe("edit-outside")
    expect(marked(press(at("a|", true), "esc '/' 'git'").state)).toBe("|git push")
  })
})

test("the cursor always stands on a border between characters", () => {
  const names = [...Object.keys(emacsKeys), "x", "d", "w"]
  const input = FastCheck.oneof(
    FastCheck.constantFrom(...names).map(key),
    FastCheck.constantFrom("a", "d", "w", "3", "漢", "👨‍👩‍👧", "e\u0301", " ", "`", "\\", "f", "i").map(
      (text): Text => textInput(text)
    ),
    FastCheck.constantFrom("p\nq", "🇩🇪").map(paste)
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(input, { maxLength: 40 }), FastCheck.boolean(), (all, viKeys) => {
      let state = at("ab|c", viKeys)
      for (const each of all) {
        state = step(state, each, context).state
        let border = 0
        while (border < state.cursor) border = nextBorder(state.text, border)
        expect(border).toBe(state.cursor)
      }
    }),
    { numRuns: 300 }
  )
})
