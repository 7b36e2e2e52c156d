/** The ring against the obvious model: keep everything, cut at the end. */
import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { lastUnits, TailBuffer } from "./tail-buffer.ts"

test("holds the tail of everything that was pushed, whatever the chunks", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 700 }),
      fc.integer({ min: 0, max: 900 }),
      (chunks, limit, wanted) => {
        const buffer = new TailBuffer(limit)
        for (const chunk of chunks) buffer.push(chunk)
        const whole = Buffer.concat(chunks)
        const held = whole.subarray(Math.max(0, whole.length - limit))
        expect(Buffer.from(buffer.last())).toEqual(Buffer.from(held))
        expect(Buffer.from(buffer.last(wanted))).toEqual(Buffer.from(held.subarray(Math.max(0, held.length - wanted))))
        expect(buffer.total).toBe(whole.length)
        expect(buffer.dropped).toBe(whole.length - held.length)
      }
    )
  )
})

test("shrinks to the tail of what it held, and goes on from there", () => {
  const buffer = new TailBuffer(10)
  buffer.push(Buffer.from("0123456789abc"))
  buffer.shrinkTo(4)
  expect(Buffer.from(buffer.last()).toString()).toBe("9abc")
  buffer.push(Buffer.from("de"))
  expect(Buffer.from(buffer.last()).toString()).toBe("bcde")
  expect(buffer.dropped).toBe(11)
})

test("grows past its first size and stays within the limit", () => {
  const buffer = new TailBuffer(200_000)
  const chunk = new Uint8Array(70_000)
  for (let index = 0; index < 10; index += 1) buffer.push(chunk.fill(index))
  expect(buffer.last().length).toBe(200_000)
  expect([...new Set(buffer.last())]).toEqual([7, 8, 9])
})

test("text whose front was overwritten is a suffix of the text, cut between characters", () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 40 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 60 }), fc.nat(60), (text, limit, count) => {
      const bytes = new TextEncoder().encode(text)
      const buffer = new TailBuffer(limit)
      for (const byte of bytes) buffer.push(Uint8Array.of(byte))
      const tail = buffer.text({ isComplete: true, count })
      expect(text.endsWith(tail)).toBe(true)
      const missing = Math.min(bytes.length, limit, count) - new TextEncoder().encode(tail).length
      expect(missing).toBeWithin(0, 4)
    })
  )
})

test("text that is still to come loses at most the character that is not whole yet", () => {
  const bytes = new TextEncoder().encode("añ€😀")
  const texts = [...bytes.keys()].map((end) => {
    const buffer = new TailBuffer(100)
    buffer.push(bytes.subarray(0, end))
    return buffer.text({ isComplete: false })
  })
  expect(texts).toEqual(["", "a", "a", "añ", "añ", "añ", "añ€", "añ€", "añ€", "añ€"])
})

test("the last units of a text never begin with half a character", () => {
  expect(lastUnits("ab😀cd", 3)).toBe("cd")
  expect(lastUnits("ab😀cd", 4)).toBe("😀cd")
  expect(lastUnits("short", 10)).toBe("short")
})
