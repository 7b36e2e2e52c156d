/** The ring against the obvious model: keep everything, cut at the end. */
import { expect, test } from "bun:test"
import { FastCheck as fc } from "effect"
import { decodeUtf8, lastUnits, TailBuffer } from "./tail-buffer.ts"

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

test("grows past its first size and stays within the limit", () => {
  const buffer = new TailBuffer(200_000)
  const chunk = new Uint8Array(70_000)
  for (let index = 0; index < 10; index += 1) buffer.push(chunk.fill(index))
  expect(buffer.last().length).toBe(200_000)
  expect([...new Set(buffer.last())]).toEqual([7, 8, 9])
})

test("text cut at any byte decodes to a suffix of the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.nat(200), (text, from) => {
      const bytes = new TextEncoder().encode(text)
      const cut = Math.min(from, bytes.length)
      const tail = decodeUtf8(bytes.subarray(cut), { front: cut > 0, end: false })
      expect(text.endsWith(tail)).toBe(true)
      expect(bytes.length - cut - new TextEncoder().encode(tail).length).toBeLessThan(4)
    })
  )
})

test("text cut at its end loses at most the character that is not whole yet", () => {
  const bytes = new TextEncoder().encode("añ€😀")
  const texts = [...bytes.keys()].map((end) => decodeUtf8(bytes.subarray(0, end), { front: false, end: true }))
  expect(texts).toEqual(["", "a", "a", "añ", "añ", "añ", "añ€", "añ€", "añ€", "añ€"])
})

test("the last units of a text never begin with half a character", () => {
  expect(lastUnits("ab😀cd", 3)).toBe("cd")
  expect(lastUnits("ab😀cd", 4)).toBe("😀cd")
  expect(lastUnits("short", 10)).toBe("short")
})
