import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { ChantDetector } from "./chant-detector.ts"
import { addCall, noCalls } from "./loop-guard.ts"

const callsUntilLoop = (names: ReadonlyArray<string>): number | undefined => {
  let state = noCalls
  for (const [index, name] of names.entries()) {
    const step = addCall(state, { name, args: {} })
    if (step.isLoop) return index + 1
    state = step.state
  }
  return undefined
}

describe("tool calls", () => {
  test("five equal calls are a loop, four are not", () => {
    expect(callsUntilLoop(["a", "a", "a", "a"])).toBeUndefined()
    expect(callsUntilLoop(["b", "a", "a", "a", "a", "a"])).toBe(6)
  })
  test.each([2, 3, 4, 5])("five rounds of a cycle of %d calls are a loop", (length) => {
    const cycle = Array.from({ length }, (_, index) => `t${index}`)
    const rounds = Array.from({ length: 5 }, () => cycle).flat()
    expect(callsUntilLoop(rounds.slice(0, -1))).toBeUndefined()
    expect(callsUntilLoop(rounds)).toBe(5 * length)
  })
  test("three hundred different edits are work", () => {
    let state = noCalls
    for (let line = 0; line < 300; line++) {
      const step = addCall(state, { name: "replace", args: { file_path: "a", old_string: `line ${line}` } })
      expect(step.isLoop).toBe(false)
      state = step.state
    }
  })
  test("a series without a repeated call never loops", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 100 }), (names) =>
        expect(callsUntilLoop(names)).toBeUndefined()
      )
    )
  })
})

const chants = (pieces: ReadonlyArray<string>): boolean => {
  const detector = new ChantDetector()
  return pieces.some((piece) => detector.sees(piece))
}
const sentence = "I will now look at the file again to be quite sure about it. "

describe("chanting", () => {
  test("a sentence said over and over is noticed, in whichever pieces", () => {
    const text = sentence.repeat(14)
    expect(chants([text])).toBe(true)
    expect(chants([...text])).toBe(true)
    expect(chants(Array.from({ length: 14 }, () => sentence))).toBe(true)
  })
  test("of a burst the end counts: a chant that goes on is noticed, one that the model left is not", () => {
    const other = Array.from({ length: 5000 }, (_, word) => `word${word}`).join(" ")
    expect(chants([`${other}${sentence.repeat(14)}`])).toBe(true)
    expect(chants([`${other}${sentence.repeat(14)}${other}`])).toBe(false)
    expect(chants([`\`\`\`\n${other}`, sentence.repeat(14)])).toBe(false)
    // The last five thousand characters begin within the fence.
    const rest = other.slice(-4998)
    expect(chants([`${other}\n\`\`\`\n${rest}`, "\n```\n", sentence.repeat(14)])).toBe(true)
  })
  test("a few repetitions are style", () => expect(chants([sentence.repeat(6)])).toBe(false))
  test("repetitions far apart are coincidence", () => {
    const filler = (index: number) => Array.from({ length: 40 }, (_, word) => `word${index * 40 + word}`).join(" ")
    expect(chants(Array.from({ length: 30 }, (_, index) => `${sentence}${filler(index)} `))).toBe(false)
  })
  test("code repeats by nature", () => {
    expect(chants(["```\n", ...Array.from({ length: 30 }, () => sentence), "```\n"])).toBe(false)
  })
  test("lists, tables, headings and dividers reset the count", () => {
    const plain = ["- item\n", "| a | b |\n", "# head\n", "> quote\n", "12. one\n", "-----\n", "=====", "___", "────\n"]
    const indented = ["  * item\n", "and so\n\n\t+ item\n", "\u00a0- item\n", "and\r\n  +--+--+\n"]
    for (const structure of [...plain, ...indented]) {
      expect(chants(Array.from({ length: 4 }, () => [sentence.repeat(4), structure]).flat())).toBe(false)
    }
  })
  test("a tool call in between is progress", () => {
    const detector = new ChantDetector()
    for (let round = 0; round < 20; round++) {
      expect(detector.sees(sentence.repeat(3))).toBe(false)
      detector.forget()
    }
  })
  test("a chant is found at once after a long text of other words, and after another chant", () => {
    const detector = new ChantDetector()
    for (let index = 0; index < 3000; index++) expect(detector.sees(`word${index} and more of it `)).toBe(false)
    expect(detector.sees(sentence.repeat(11))).toBe(true)
    expect(detector.sees(sentence.repeat(6))).toBe(false)
    expect(detector.sees(sentence.repeat(6))).toBe(true)
  })
  test("the same as comparing every window with every other, also behind text that does not recur", () => {
    const words = fc.constantFrom("one two three four ", "five six seven eight nine ", "x", "ten ", "eleven twelve ")
    const varied = (length: number) => Array.from({ length }, (_, index) => Bun.hash(`${index}`).toString(36)).join("")
    const anyText = fc
      .tuple(fc.nat(900), fc.array(words, { maxLength: 400 }))
      .map(([before, said]) => varied(before) + said.join(""))
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 90 }), (text, size) => {
        const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size)
        )
        expect(chants(parts)).toBe(chantsByDefinition(text))
      })
    )
  })
})

/** The rule as it is written down: slow, and obviously right. */
const chantsByDefinition = (text: string): boolean => {
  const seen = new Map<string, Array<number>>()
  for (let at = 0; at + 50 <= text.length; at++) {
    const window = text.slice(at, at + 50)
    const places = (seen.get(window) ?? []).filter((place) => at + 49 - place < 5000)
    places.push(at)
    seen.set(window, places)
    const recent = places.slice(-10)
    if (recent.length < 10 || (at - (recent[0] ?? at)) / 9 > 250) continue
    if (new Set(recent.slice(1).map((place, index) => text.slice(recent[index], place))).size <= 5) return true
  }
  return false
}
