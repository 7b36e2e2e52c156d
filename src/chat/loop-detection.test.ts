import { describe, expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { addText, afterCall, type ChantState, silence } from "./chanting.ts"
import { addCall, noCalls } from "./tool-loop.ts"

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

const chants = (pieces: ReadonlyArray<string>, start: ChantState = silence): boolean => {
  let state = start
  for (const piece of pieces) {
    const step = addText(state, piece)
    if (step.isLoop) return true
    state = step.state
  }
  return false
}
const sentence = "I will now look at the file again to be quite sure about it. "

describe("chanting", () => {
  test("a sentence said over and over is noticed, in whichever pieces", () => {
    const text = sentence.repeat(14)
    expect(chants([text])).toBe(true)
    expect(chants([...text])).toBe(true)
    expect(chants(Array.from({ length: 14 }, () => sentence))).toBe(true)
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
    for (const structure of ["- item\n", "| a | b |\n", "# head\n", "> quote\n", "1. one\n", "-----\n"]) {
      expect(chants(Array.from({ length: 4 }, () => [sentence.repeat(4), structure]).flat())).toBe(false)
    }
  })
  test("a tool call in between is progress", () => {
    let state = silence
    for (let round = 0; round < 20; round++) {
      const step = addText(state, sentence.repeat(3))
      expect(step.isLoop).toBe(false)
      state = afterCall(step.state)
    }
  })
  test("what is remembered stays bounded", () => {
    let state = silence
    for (let index = 0; index < 500; index++) state = addText(state, `word${index} and some more text `).state
    expect(state.text.length).toBeLessThanOrEqual(5000)
    expect(state.seen.size).toBeLessThanOrEqual(5000)
  })
})
