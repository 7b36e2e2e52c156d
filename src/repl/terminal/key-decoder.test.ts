import { describe, expect, test } from "bun:test"
import { FastCheck } from "effect"
import { key, paste, type TerminalInput, textInput } from "./key.ts"
import { makeKeyDecoder } from "./key-decoder.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const decoder = () => makeKeyDecoder(() => key("C-j"))

/** Text runs joined: where a read was cut does not matter. */
const joined = (inputs: ReadonlyArray<TerminalInput>): ReadonlyArray<TerminalInput> =>
  inputs.reduce<Array<TerminalInput>>((all, input) => {
    const last = all.at(-1)
    if (input._tag === "Text" && last?._tag === "Text") all[all.length - 1] = textInput(last.text + input.text)
    else all.push(input)
    return all
  }, [])

const decode = (text: string) => {
  const keys = decoder()
  return [...keys.push(bytes(text)), ...keys.flush()]
}

const names: ReadonlyArray<readonly [string, string]> = [
  ["\r", "enter"],
  ["\n", "C-j"],
  ["\t", "tab"],
  ["\u007f", "backspace"],
  ["\b", "C-h"],
  ["\u0000", "C-space"],
  ["\u0001", "C-a"],
  ["\u001a", "C-z"],
  ["\u001f", "C-_"],
  ["\u001b", "esc"],
  ["\u001b[A", "up"],
  ["\u001bOB", "down"],
  ["\u001b[1;5C", "C-right"],
  ["\u001b[1;3D", "M-left"],
  ["\u001b[1;2A", "S-up"],
  ["\u001b[1;8F", "C-M-S-end"],
  ["\u001bO5D", "C-left"],
  ["\u001b\u001b[D", "M-left"],
  ["\u001b[H", "home"],
  ["\u001b[1~", "home"],
  ["\u001b[4~", "end"],
  ["\u001b[3~", "delete"],
  ["\u001b[3;5~", "C-delete"],
  ["\u001b[Z", "S-tab"],
  ["\u001b[[A", "f1"],
  ["\u001b[15~", "f5"],
  ["\u001bf", "M-f"],
  ["\u001bé", "M-é"],
  ["\u001b\r", "M-enter"],
  ["\u001b\u007f", "M-backspace"],
  ["\u001b\u0008", "C-M-h"],
  ["\u001b]", "M-]"],
  ["\u001b[", "M-["],
  ["\u001b[13;2u", "S-enter"],
  ["\u001b[27;5;13~", "C-enter"],
  ["\u001b[97;5u", "C-a"]
]

describe("keys", () => {
  for (const [typed, name] of names) {
    test(`${JSON.stringify(typed)} is ${name}`, () => expect(decode(typed)).toEqual([key(name)]))
  }

  test("what is no key is swallowed: focus, unknown sequences, answers of the terminal, C1", () => {
    expect(decode("a\u001b[Ib\u001b[>1;2cc\u001b]11;rgb:0/0/0\u0007d\u001bP1$r\u001b\\e\u009bf")).toEqual(
      [..."abcdef"].map(textInput)
    )
  })

  test("Esc twice is two keys", () => expect(decode("\u001b\u001b")).toEqual([key("esc"), key("esc")]))

  test("Esc is held while a sequence may follow", () => {
    const keys = decoder()
    expect(keys.push(bytes("\u001b"))).toEqual([])
    expect(keys.isWaiting()).toBe(true)
    expect(keys.push(bytes("[A"))).toEqual([key("up")])
    expect(keys.isWaiting()).toBe(false)
  })
})

describe("paste", () => {
  test("is one input, with its own line breaks and nothing interpreted", () => {
    expect(decode("a\u001b[200~x\r\ny\rz\u001b[A\u0003\u001b[201~\r")).toEqual([
      textInput("a"),
      paste("x\ny\nz\u001b[A\u0003"),
      key("enter")
    ])
  })

  test("an unfinished one is neither shown nor flushed", () => {
    const keys = decoder()
    expect(keys.push(bytes("\u001b[200~never ends"))).toEqual([])
    expect(keys.isWaiting()).toBe(false)
    expect(keys.flush()).toEqual([])
    expect(keys.push(bytes("\u001b[20"))).toEqual([])
    expect(keys.push(bytes("1~"))).toEqual([paste("never ends")])
  })
})

test("where reads are cut does not matter", () => {
  const piece = FastCheck.constantFrom(
    "plain",
    "漢字",
    "👨‍👩‍👧",
    "\r",
    "\u001b[1;5C",
    "\u001bOA",
    "\u001bf",
    "\u001b[200~two\nlines\u001b[201~",
    "\u0003"
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(piece, { maxLength: 8 }), FastCheck.array(FastCheck.nat(12)), (pieces, cuts) => {
      const all = bytes(pieces.join(""))
      const whole = joined(decoder().push(all))
      const keys = decoder()
      const found: Array<TerminalInput> = []
      let at = 0
      for (const cut of cuts) {
        found.push(...keys.push(all.slice(at, at + cut)))
        at += cut
      }
      found.push(...keys.push(all.slice(at)))
      expect(joined(found)).toEqual(whole)
    })
  )
})
